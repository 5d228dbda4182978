(* Its frame is on the stack when the program calls exit. *)
let keep (data : bytes array) =
  Printf.printf "expect variable data of The_stack_is_named_by_its_function.keep (*)|%d|0\n"
    (8 * Obj.reachable_words (Obj.repr data));
  exit (if Array.length (Sys.opaque_identity data) > 0 then 0 else 1) |> fun () ->
  ignore (Sys.opaque_identity data)

let () = keep (Array.init 3_000 (fun i -> Bytes.create (i mod 100)))
