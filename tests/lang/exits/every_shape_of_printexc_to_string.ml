(* ocaml5: no: it has no Stream *)
exception A
exception B of int
exception C of string * int
exception D of (string * int)
exception E of float
exception F of int list
exception G of { x : int; y : string }
exception H of exn
exception I of char * bool * unit
exception J of string option

let () =
  List.iter (fun e -> print_endline (Printexc.to_string e))
    [ A; B 1; B (-1); B max_int; C ("s", 1); C ("q\"\n", 2); D ("d", 3); E 1.5; F [ 1 ]; F [];
      G { x = 1; y = "y" }; H (C ("inner", 1)); I ('c', true, ()); J None; J (Some "s"); Not_found;
      Failure "f"; Invalid_argument "i"; Sys_error "e"; Exit; Stack_overflow; Out_of_memory;
      End_of_file; Division_by_zero; Sys_blocked_io; Match_failure ("f.ml", 1, 2);
      Assert_failure ("a.ml", 3, 4); Undefined_recursive_module ("u.ml", 5, 6);
      Stream.Failure; Stream.Error "se"; Queue.Empty; Stack.Empty; Scanf.Scan_failure "sf";
      Arg.Bad "bad"; Arg.Help "help"; Parsing.Parse_error; CamlinternalLazy.Undefined ];
  List.iter (fun e -> print_endline (Printexc.to_string_default e)) [ A; Not_found; C ("x", 2) ];
  List.iter (fun e -> print_endline (Printexc.exn_slot_name e)) [ A; B 1; Not_found;
      Stream.Failure ];
  Printf.printf "%b\n" (Printexc.exn_slot_id A <> Printexc.exn_slot_id (B 1))
