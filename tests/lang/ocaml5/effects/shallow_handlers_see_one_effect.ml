(* Without a new handler around the rest, the next effect goes to the outer handler. *)
type _ Effect.t += Tick : string -> int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n")
let deep f = Effect.Deep.match_with f ()
  { retc = (fun x -> say "deep retc"; x); exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Tick s -> Some (fun (k : (a, int) Effect.Deep.continuation) -> say "deep %s" s; Effect.Deep.continue k 1)
      | _ -> None) }
let ignoring = { Effect.Shallow.retc = (fun x -> say "second retc"; x); exnc = raise; effc = (fun _ -> None) }
let shallow f =
  Effect.Shallow.continue_with (Effect.Shallow.fiber f) ()
    { retc = (fun x -> say "first retc"; x); exnc = raise;
      effc = (fun (type a) (e : a Effect.t) -> match e with
        | Tick s -> Some (fun (k : (a, int) Effect.Shallow.continuation) ->
            say "shallow %s" s; Effect.Shallow.continue_with k 10 ignoring)
        | _ -> None) }
let three () =
  let a = Effect.perform (Tick "a") in
  let b = Effect.perform (Tick "b") in
  let c = Effect.perform (Tick "c") in
  (100 * a) + (10 * b) + c
let () =
  say "%d" (deep (fun () -> shallow three));
  say "%d" (deep (fun () -> shallow (fun () -> 5)));
  say "%d" (deep (fun () -> shallow (fun () -> deep three)));
  (match shallow three with n -> say "%d" n | exception Effect.Unhandled (Tick s) -> say "unhandled %s" s)
