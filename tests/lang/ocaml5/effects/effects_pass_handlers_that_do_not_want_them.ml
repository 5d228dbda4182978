(* reperform: through many handlers, with work before and after, and the handlers stay in place. *)
open Effect.Deep
type _ Effect.t += Far : int -> int Effect.t | Near : int -> int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n")
let rec through n f =
  if n = 0 then f ()
  else
    match_with (fun () -> through (n - 1) f) ()
      { retc = (fun x -> x + 1); exnc = raise;
        effc = (fun (type a) (e : a Effect.t) -> match e with
          | Near m when m = n -> Some (fun (k : (a, int) continuation) -> continue k (m * 100))
          | _ -> None) }
let top f = match_with f () { retc = Fun.id; exnc = raise;
  effc = (fun (type a) (e : a Effect.t) -> match e with
    | Far m -> Some (fun (k : (a, int) continuation) -> continue k (m + 1))
    | _ -> None) }
let () =
  List.iter (fun depth ->
    say "%d: %d" depth (top (fun () -> through depth (fun () -> Effect.perform (Far 1) * 1000)));
    say "%d, three times: %d" depth (top (fun () -> through depth (fun () ->
      let a = Effect.perform (Far 1) in
      let b = Effect.perform (Far a) in
      a + b + Effect.perform (Far b)))))
    [0; 1; 2; 10; 100; 1000];
  say "near: %d" (top (fun () -> through 10 (fun () ->
    let sum = ref 0 in
    for i = 1 to 10 do sum := !sum + Effect.perform (Near i) + Effect.perform (Far i) done;
    !sum)));
  (match through 50 (fun () -> Effect.perform (Far 1)) with
   | n -> say "%d" n
   | exception Effect.Unhandled (Far 1) -> say "nobody at the end of 50");
  say "%d" (through 50 (fun () -> try Effect.perform (Far 1) with Effect.Unhandled _ -> -50))
