(* stress: no: a poll in the handler of one of two signals that wait runs the other first *)
(* libs: unix.cma *)
(* flags: -I +unix *)
(* Handlers that raise end loops, calls and waits; order of pending signals; a default that kills. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
exception Timeout
let () =
  Sys.set_signal Sys.sigint (Signal_handle (fun _ -> raise Sys.Break));
  (try Unix.kill (Unix.getpid ()) Sys.sigint; for _ = 1 to 1000 do ignore (Sys.opaque_identity (ref 0)) done; p "no" with Sys.Break -> p "break");
  Sys.catch_break true;
  (try Unix.kill (Unix.getpid ()) Sys.sigint; for _ = 1 to 1000 do ignore (Sys.opaque_identity (ref 0)) done with Sys.Break -> p "break2");
  Sys.catch_break false;
  let with_timeout s f = Sys.set_signal Sys.sigalrm (Signal_handle (fun _ -> raise Timeout));
  ignore (Unix.setitimer ITIMER_REAL { it_interval = 0.; it_value = s });
  match f () with v -> ignore (Unix.setitimer ITIMER_REAL { it_interval = 0.; it_value = 0. });
  Some v | exception Timeout -> None in
  p "%b" (with_timeout 0.01 (fun () -> while true do () done) = None);
  p "%b" (with_timeout 0.01 (fun () -> let rec f x = if x = 0 then f 1 else f 0 in f 1) = None);
  p "%b" (with_timeout 0.01 (fun () -> while true do ignore (List.init 10 Fun.id) done) = None);
  p "%b" (with_timeout 0.01 (fun () -> Unix.sleep 10) = None);
  p "%b" (with_timeout 0.01 (fun () -> let r, _ = Unix.pipe () in Unix.read r (Bytes.create 1) 0 1) = None);
  p "%b" (with_timeout 0.01 (fun () -> let r, _ = Unix.pipe () in input_line (Unix.in_channel_of_descr r)) = None);
  p "%b" (with_timeout 0.01 (fun () -> let _, w = Unix.pipe () in let oc = Unix.out_channel_of_descr w in while true do output_string oc (String.make 10000 'x') done) = None);
  p "%b" (with_timeout 1. (fun () -> 5) = Some 5);
  p "%b" (with_timeout 0.01 (fun () -> let rec f () = try while true do () done with Not_found -> f () in f ()) = None);
  let order = ref [] in Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> order := 1 :: !order));
  Sys.set_signal Sys.sigusr2 (Signal_handle (fun _ -> order := 2 :: !order));
  ignore (Unix.sigprocmask SIG_BLOCK [ Sys.sigusr1; Sys.sigusr2 ]); Unix.kill (Unix.getpid ()) Sys.sigusr2;
  Unix.kill (Unix.getpid ()) Sys.sigusr1; ignore (Unix.sigprocmask SIG_UNBLOCK [ Sys.sigusr1; Sys.sigusr2 ]);
  ignore (Sys.opaque_identity (ref 0)); p "%s" (String.concat " " (List.map string_of_int !order));
  (match Sys.signal Sys.sigkill Signal_ignore with _ -> p "?" | exception e -> p "%s" (Printexc.to_string e));
  (match Sys.signal 9999 Signal_ignore with _ -> p "?" | exception e -> p "%s" (Printexc.to_string e));
  (match Sys.signal Sys.sigusr1 Signal_default with Signal_handle _ -> p "handle" | Signal_ignore -> p "ign" | Signal_default -> p "dfl");
  at_exit (fun () -> p "not run"); Unix.kill (Unix.getpid ()) Sys.sigusr1; p "unreached"
