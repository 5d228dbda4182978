(* An effect without a handler is an exception at the point of perform. *)
type _ Effect.t += Ask : int -> int Effect.t | Name : string Effect.t | Pair : (int * string) -> unit Effect.t
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with
  | n -> say "%s: %d" name n
  | exception e -> say "%s: %s" name (Printexc.to_string e)
let () =
  show "constant" (fun () -> String.length (Effect.perform Name));
  show "with an argument" (fun () -> Effect.perform (Ask 7));
  show "with a pair" (fun () -> Effect.perform (Pair (1, "x")); 0);
  show "caught beside it" (fun () ->
    try Effect.perform (Ask 5) with Effect.Unhandled (Ask n) -> n * 10 | Effect.Unhandled _ -> -1);
  show "caught by Fun.protect's caller" (fun () ->
    try Fun.protect ~finally:(fun () -> say "finally") (fun () -> Effect.perform (Ask 6))
    with Effect.Unhandled (Ask n) -> n);
  let nothing = { Effect.Deep.retc = succ; exnc = (fun e -> say "exnc"; raise e); effc = (fun _ -> None) } in
  show "a handler that wants nothing" (fun () ->
    Effect.Deep.match_with (fun () -> Effect.perform (Ask 1)) () nothing);
  show "caught inside that" (fun () ->
    Effect.Deep.match_with (fun () -> try Effect.perform (Ask 1) with Effect.Unhandled (Ask n) -> n + 40) () nothing);
  show "three of them" (fun () ->
    let open Effect.Deep in
    match_with (fun () -> match_with (fun () -> match_with (fun () -> Effect.perform (Ask 2)) () nothing) () nothing) () nothing)
