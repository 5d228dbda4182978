module rec A : sig val f : unit -> int end = struct let f () = B.f () end
and B : sig val f : unit -> int end = struct
  let now = A.f ()
  let f () = now
end
let () = print_int (A.f ())
