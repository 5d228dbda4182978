(* discontinue and discontinue_with_backtrace raise in the suspended computation. *)
open Effect.Deep
type _ Effect.t += Ask : int -> int Effect.t
exception Stop of int
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with
  | n -> say "%s: %d" name n
  | exception e -> say "%s: %s" name (Printexc.to_string e)
let refuse f =
  match_with f () { retc = (fun n -> say "retc %d" n; n); exnc = (fun e -> say "exnc %s" (Printexc.to_string e); raise e);
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Ask n when n < 0 -> Some (fun (k : (a, int) continuation) ->
          discontinue_with_backtrace k (Stop n) (Printexc.get_callstack 3))
      | Ask n -> Some (fun (k : (a, int) continuation) -> discontinue k (Stop n)) | _ -> None) }
let () =
  show "not caught" (fun () -> refuse (fun () -> Effect.perform (Ask 1)));
  show "caught" (fun () -> refuse (fun () -> try Effect.perform (Ask 2) with Stop n -> n * 2));
  show "caught, then performs again" (fun () -> refuse (fun () ->
    let a = try Effect.perform (Ask 3) with Stop n -> n in
    let b = try Effect.perform (Ask 4) with Stop n -> n in
    (10 * a) + b));
  show "finally" (fun () -> refuse (fun () ->
    Fun.protect ~finally:(fun () -> say "released") (fun () -> Effect.perform (Ask 5))));
  show "replaced" (fun () -> refuse (fun () -> try Effect.perform (Ask 6) with Stop n -> failwith (string_of_int n)));
  show "with a backtrace" (fun () -> refuse (fun () -> Effect.perform (Ask (-7))));
  show "with a backtrace, caught" (fun () -> refuse (fun () -> try Effect.perform (Ask (-8)) with Stop n -> n));
  show "ten in a loop" (fun () -> refuse (fun () ->
    let s = ref 0 in
    for i = 1 to 10 do s := !s + (try Effect.perform (Ask i) with Stop n -> n) done;
    !s))
