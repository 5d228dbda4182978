(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
module M = struct
  let outer x =
    let inner y =
      let innermost z =
        if z > 2 then
          raise
            (Failure
               (string_of_int
                  z))
        else z
      in
      innermost (y + 1) + 1
    in
    inner (x + 1) + 1
end

class c = object (self)
  method run x = 1 + self#step x
  method private step x = 2 + M.outer x
end

let () =
  let f = fun x -> (new c)#run x + 1 in
  print_int (f 1)
