(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Handlers around Domain.spawn, Thread.create and at_exit do not reach what those run. *)
open Effect.Deep
type _ Effect.t += Ask : int -> int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n%!")
let handled f = match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask n -> Some (fun (k : (a, int) continuation) -> continue k (n + 1)) | _ -> None) }
let attempt f = match f () with n -> string_of_int n | exception e -> Printexc.to_string e
let in_domain f = Domain.join (Domain.spawn (fun () -> attempt f))
let in_thread f = let r = ref "" in Thread.join (Thread.create (fun () -> r := attempt f) ()); !r
let () =
  let perform () = Effect.perform (Ask 5) in
  List.iter (fun (name, run) ->
    say "%s: %s" name (run perform);
    ignore (handled (fun () -> say "%s in a handler: %s" name (run perform); Effect.perform (Ask 0)));
    say "%s with its own: %s" name (run (fun () -> handled (fun () -> perform () + perform ()))))
    [ ("domain", in_domain); ("thread", in_thread) ];
  ignore (handled (fun () -> at_exit (fun () -> say "at exit: %s; %s" (attempt perform) (attempt (fun () -> handled perform))); 0))
