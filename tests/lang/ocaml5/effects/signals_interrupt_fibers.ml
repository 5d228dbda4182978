(* Signal handlers that raise, in the middle of fibers and handlers. *)
open Effect.Deep
type _ Effect.t += Ask : int -> int Effect.t
exception Tick
let say fmt = Printf.printf (fmt ^^ "\n%!")
let kill () = ignore (Sys.command "kill -USR1 $PPID")
let spin () = for _ = 1 to 100_000 do ignore (Sys.opaque_identity (ref 0)) done
let run ?(exnc = raise) f = match_with f () { retc = Fun.id; exnc; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask n -> Some (fun (k : (a, int) continuation) -> if n < 0 then begin kill (); spin () end; continue k (n + 1)) | _ -> None) }
let () =
  Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> raise Tick));
  say "%d" (run (fun () -> let n = Effect.perform (Ask 1) in try kill (); spin (); 0 with Tick -> n * 10));
  say "%s" (match run (fun () -> kill (); spin (); 0) with n -> string_of_int n | exception Tick -> "out of the fiber");
  say "%d" (run ~exnc:(function Tick -> 55 | e -> raise e) (fun () -> kill (); spin (); 0));
  say "%s" (match run (fun () -> try Effect.perform (Ask (-1)) with Tick -> 1) with n -> string_of_int n | exception Tick -> "in the handler");
  Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> say "handled %d" (run (fun () -> Effect.perform (Ask 10)))));
  say "%d" (run (fun () -> kill (); spin (); Effect.perform (Ask 20)))
