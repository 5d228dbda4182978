(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
exception Signalled

let on_signal _ = raise Signalled
let send () = ignore (Sys.command "kill -USR1 $PPID")

let outer () = 1 + (send (); List.length (Sys.opaque_identity [ 1 ]))

let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle on_signal);
  match outer () with
  | _ -> print_endline "missed"
  | exception Signalled ->
    let b = Printexc.get_raw_backtrace () in
    (* the place where a signal is noticed is the machine's affair: the handler's own frame is not *)
    (match Printexc.backtrace_slots b with
     | Some slots -> (match Printexc.Slot.format 0 slots.(0) with Some s -> print_endline s | None -> print_endline "none")
     | None -> print_endline "no slots")

let finaliser _ = failwith "finaliser"

let () =
  Gc.finalise finaliser (ref 0);
  match Gc.full_major () with
  | () -> print_endline "missed"
  | exception Failure s ->
    print_endline s;
    Printexc.print_backtrace stdout
