(* stress: no: counts what a full collection frees *)
(* A computation that is never resumed: no finally, and its values die with it. *)
open Effect.Deep
type _ Effect.t += Stop : int Effect.t
let released = ref 0 and finalised = ref 0
let drop f = match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Stop -> Some (fun (_ : (a, int) continuation) -> -1) | _ -> None) }
let[@inline never] one i = drop (fun () -> Fun.protect ~finally:(fun () -> incr released) (fun () ->
  let here = Bytes.make 100 'x' in
  let n = Effect.perform Stop in n + Bytes.length here + i))
let () =
  let sum = ref 0 in
  for i = 1 to 20_000 do sum := !sum + one i done;
  Printf.printf "%d, released %d\n" !sum !released;
  Gc.full_major ();
  Printf.printf "released %d\n" !released;
  let[@inline never] kept () =
    let k : (int, int) continuation option ref = ref None in
    ignore (match_with (fun () ->
        let text = String.concat "" ["ke"; "pt"] in
        let list = List.init 1000 string_of_int in
        let n = Effect.perform Stop in
        n + String.length text + List.length list) ()
      { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
        | Stop -> Some (fun (c : (a, int) continuation) -> k := Some c; 0) | _ -> None) });
    Option.get !k in
  let k = kept () in
  Gc.full_major (); Gc.compact ();
  Printf.printf "%d\n" (continue k 1)
