(* The primitives behind module Effect. *)
type ('a, 'b) stack
type last_fiber
type ('a, 'b) cont
type _ Effect.t += Ask : int -> int Effect.t | Other : int Effect.t
external alloc_stack : ('a -> 'b) -> (exn -> 'b) -> (int Effect.t -> (int, 'b) cont -> last_fiber -> 'b) -> ('a, 'b) stack = "caml_alloc_stack"
external runstack : ('a, 'b) stack -> ('c -> 'a) -> 'c -> 'b = "%runstack"
external resume : ('a, 'b) stack -> ('c -> 'a) -> 'c -> last_fiber -> 'b = "%resume"
external reperform : int Effect.t -> (int, 'b) cont -> last_fiber -> 'b = "%reperform"
external use : ('a, 'b) cont -> ('a, 'b) stack = "caml_continuation_use"
external use_noexc : ('a, 'b) cont -> ('a, 'b) stack = "caml_continuation_use_noexc"
external last : ('a, 'b) cont -> last_fiber = "%field1"
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with n -> say "%s: %d" name n | exception e -> say "%s: %s" name (Printexc.to_string e)
let run f effc = runstack (alloc_stack (fun n -> say "value %d" n; n) (fun e -> say "exception %s" (Printexc.to_string e); -1) effc) f ()
let _ = Effect.Deep.continue
let () =
  show "returns" (fun () -> run (fun () -> 5) (fun _ _ _ -> 0));
  show "raises" (fun () -> run (fun () -> failwith "x") (fun _ _ _ -> 0));
  show "performs" (fun () -> run (fun () -> 1 + Effect.perform (Ask 3)) (fun _ _ _ -> 77));
  let resumed e k l = match e with Ask n -> resume (use k) (fun x -> x) (n * 2) l | _ -> reperform e k l in
  show "resumed" (fun () -> run (fun () -> 1 + Effect.perform (Ask 3)) resumed);
  show "resumed by a function that raises" (fun () -> run (fun () -> try 1 + Effect.perform (Ask 3) with Exit -> 50) (fun _ k l -> resume (use k) (fun () -> raise Exit) () l));
  show "resumed by a function that performs" (fun () -> run (fun () -> 1 + Effect.perform (Ask 3)) (fun e k l -> match e with Ask 3 -> resume (use k) (fun () -> Effect.perform (Ask 9)) () l | _ -> 99));
  show "use twice" (fun () -> run (fun () -> Effect.perform (Ask 3)) (fun _ k l -> let s = use k in (match use k with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e)); resume s Fun.id 8 l));
  show "use_noexc twice" (fun () -> run (fun () -> Effect.perform (Ask 3)) (fun _ k l -> let s = use_noexc k in say "null %b" (Obj.repr (use_noexc k) == Obj.repr 0); resume s Fun.id 8 l));
  show "resume null" (fun () -> resume (Obj.magic 0) Fun.id 1 (Obj.magic 0));
  show "through two" (fun () -> run (fun () -> run (fun () -> Effect.perform Other) resumed) (fun e k l -> match e with Other -> resume (use k) Fun.id 6 (last k) | _ -> 0));
  show "nobody" (fun () -> run (fun () -> Effect.perform Other) resumed);
  show "nobody, caught" (fun () -> run (fun () -> try Effect.perform Other with Effect.Unhandled _ -> 31) resumed);
  show "a fiber is never run" (fun () -> ignore (Sys.opaque_identity (alloc_stack Fun.id raise (fun _ _ _ -> 0))); Gc.full_major (); 1)
