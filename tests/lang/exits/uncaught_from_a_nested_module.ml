module A = struct
  module B = struct exception Deep of int * string end
end
let () = raise (A.B.Deep (1, "d"))
