(* A lazy value whose value is lazy keeps its Forward block when marshalled (until a collection). *)
let hex s = String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (String.to_seq s)))
let () =
  let l = lazy (lazy (Sys.opaque_identity 3)) in
  ignore (Lazy.force (Lazy.force l));
  print_endline (hex (Marshal.to_string l []));
  let f = lazy (1.5 +. Sys.opaque_identity 1.) in
  ignore (Lazy.force f);
  print_endline (hex (Marshal.to_string f []))
