(* libs: unix.cma *)
(* flags: -I +unix *)
(* Two signals wait; the handler of one collects, where the handler of the other may run. Each runs once. *)
let order = ref []
let note n = order := n :: !order
let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> Gc.minor (); note 1));
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle (fun _ -> Gc.minor (); note 2));
  let both = [ Sys.sigusr1; Sys.sigusr2 ] in
  for _ = 1 to 3 do
    order := [];
    ignore (Unix.sigprocmask Unix.SIG_BLOCK both);
    List.iter (Unix.kill (Unix.getpid ())) both;
    ignore (Unix.sigprocmask Unix.SIG_UNBLOCK both);
    ignore (Sys.opaque_identity (ref 0));
    print_endline (String.concat " " (List.map string_of_int (List.sort compare !order)))
  done
