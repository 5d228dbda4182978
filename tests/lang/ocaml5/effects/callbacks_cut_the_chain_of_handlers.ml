(* libs: unix.cma *)
(* What the machine calls has no handlers outside; its own handlers work. *)
open Effect
open Effect.Deep

type _ Effect.t += E : int -> int t

let show name f =
  match f () with
  | n -> Printf.printf "%s: %d\n%!" name n
  | exception e -> Printf.printf "%s raised %s\n%!" name (Printexc.to_string e)

let handle f =
  match_with f () { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | E i -> Some (fun (k : (a, int) continuation) -> continue k (i + 1))
      | _ -> None }

let () =
  ignore (handle (fun () ->
    Gc.finalise (fun r -> show "in a finaliser" (fun () -> perform (E !r))) (ref 1);
    Gc.finalise (fun r -> show "own handler in a finaliser" (fun () -> handle (fun () -> perform (E !r))))
      (ref 20);
    Gc.full_major ();
    Gc.full_major ();
    perform (E 0)))

let () =
  let on_signal _ =
    show "in a signal handler" (fun () -> perform (E 2));
    show "own handler in a signal handler" (fun () -> handle (fun () -> perform (E 30))) in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle on_signal);
  show "around a signal" (fun () -> handle (fun () ->
    let a = perform (E 1) in
    Unix.kill (Unix.getpid ()) Sys.sigusr1;
    ignore (Sys.opaque_identity (List.init 10 Fun.id));
    a + perform (E 2)));
  Sys.set_signal Sys.sigusr1 Sys.Signal_default

exception Printed
let () =
  Printexc.register_printer (function
    | Printed -> Some (try string_of_int (perform (E 3)) with Unhandled _ -> "unhandled")
    | _ -> None);
  show "a printer is called by OCaml code" (fun () -> handle (fun () ->
    print_endline (Printexc.to_string Printed); 0))

let () =
  at_exit (fun () -> show "in at_exit" (fun () -> perform (E 4)));
  at_exit (fun () -> show "own handler in at_exit" (fun () -> handle (fun () -> perform (E 50))))

let () =
  Printexc.set_uncaught_exception_handler (fun e _ ->
    Printf.printf "uncaught %s\n" (Printexc.to_string e);
    show "in the handler of uncaught exceptions" (fun () -> perform (E 5)));
  ignore (handle (fun () -> ignore (perform (E 6)); failwith "the end"))
