(* Code that C calls sees no handlers from outside; it may have its own. *)
open Effect.Deep
type _ Effect.t += Ask : int -> int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n%!")
let handled f = match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask n -> Some (fun (k : (a, int) continuation) -> continue k (n + 1)) | _ -> None) }
let attempt f = match f () with n -> string_of_int n | exception e -> Printexc.to_string e
let in_finaliser body =
  let result = ref "not run" in
  let[@inline never] make () = Gc.finalise (fun _ -> result := attempt body) (Bytes.create 3) in
  make (); Gc.full_major (); Gc.full_major (); !result
let in_finalise_last body =
  let result = ref "not run" in
  let[@inline never] make () = Gc.finalise_last (fun () -> result := attempt body) (Bytes.create 3) in
  make (); Gc.full_major (); Gc.full_major (); !result
let in_signal body =
  let result = ref "not run" in
  let old = Sys.signal Sys.sigusr1 (Signal_handle (fun _ -> result := attempt body)) in
  ignore (Sys.command "kill -USR1 $PPID");
  for _ = 1 to 1000 do ignore (Sys.opaque_identity (ref 0)) done;
  Sys.set_signal Sys.sigusr1 old; !result
let () =
  let perform () = Effect.perform (Ask 5) in
  List.iter (fun (name, run) ->
    say "%s, no handler: %s" name (run perform);
    say "%s, handler outside: %d" name (handled (fun () -> say "  %s" (run perform); Effect.perform (Ask 1)));
    say "%s, handler inside: %s" name (run (fun () -> handled perform));
    say "%s, both: %d" name (handled (fun () -> say "  %s" (run (fun () -> handled (fun () -> 10 * perform ()))); Effect.perform (Ask 2))))
    [ ("finalise", in_finaliser); ("finalise_last", in_finalise_last); ("signal", in_signal) ]
