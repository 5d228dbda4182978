(* ocaml5: no: it has no Pervasives *)
[@@@warning "-3"]
let () =
  Pervasives.print_string "old ";
  Printf.printf "%d %b %s\n" (Pervasives.max 1 2) (Pervasives.compare 1 2 < 0)
      (Pervasives.string_of_int 3);
  Printf.printf "%h %s\n" Pervasives.infinity (Pervasives.( ^ ) "a" "b");
  (try Pervasives.failwith "f" with Pervasives.Exit -> () | Failure s -> Pervasives.print_endline
      s);
  let module L = StringLabels in
  print_endline (L.concat ~sep:"-" [ "x"; "y" ]);
  L.iteri ~f:(fun i c -> Printf.printf "%d%c" i c) "lab";
  Pervasives.print_newline ();
  Pervasives.at_exit (fun () -> print_endline "bye");
  Pervasives.exit 4
