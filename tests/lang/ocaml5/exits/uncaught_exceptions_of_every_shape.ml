(* An own handler prints what the default one would: registered printers, arguments, failing printers. *)
exception A of int * string * float * char * bool * int list
exception B
exception C of { x : int }
exception D of exn
let () = Printexc.register_printer (function C { x } -> Some (Printf.sprintf "C with %d" x) | D Exit -> failwith "printer fails" | _ -> None)
let show e = Printf.printf "%s | %s\n" (Printexc.to_string e) (Printexc.to_string_default e)
let () =
  List.iter show [A (1, "s", 2.5, 'c', true, [1]); B; C { x = 3 }; D B; D (D B); Not_found; Exit; End_of_file; Out_of_memory; Stack_overflow; Division_by_zero; Failure "f"; Invalid_argument "i"; Sys_error "s"; Match_failure ("f.ml", 1, 2); Assert_failure ("g.ml", 3, 4); Undefined_recursive_module ("h.ml", 5, 6); Sys_blocked_io; Fun.Finally_raised B; Lazy.Undefined; Queue.Empty; Effect.Continuation_already_resumed];
  (match Printexc.to_string (D Exit) with s -> print_endline s | exception e -> print_endline "failed");
  print_endline (Printexc.exn_slot_name (A (1, "", 0., 'x', false, []))); Printf.printf "%b\n" (Printexc.exn_slot_id B <> Printexc.exn_slot_id Not_found);
  Printexc.set_uncaught_exception_handler (fun e bt -> Printf.printf "handler: %s, %d slots\n%!" (Printexc.to_string e) (Printexc.raw_backtrace_length bt));
  at_exit (fun () -> print_endline "at exit");
  raise (D (C { x = 9 }))
