(* flags: -g *)
(* Handlers show up in call stacks, except the innermost of a fiber or of a callback. *)
let[@inline never] leaf () = let s = Printexc.get_callstack 50 in Printf.printf "%d\n%s" (Printexc.raw_backtrace_length s) (Printexc.raw_backtrace_to_string s)
let[@inline never] one () = try leaf (); 1 with Not_found -> 2
let[@inline never] two () = try (try leaf (); 1 with Not_found -> 2) with Exit -> 3
let[@inline never] three () = try two () + 1 with Not_found -> 2
let () = ignore (one ()); ignore (two ()); ignore (three ()); (try ignore (three ()) with Exit -> ())
open Effect.Deep
type _ Effect.t += Ask : int Effect.t
let show k = print_string (Printexc.raw_backtrace_to_string (get_callstack k 50))
let[@inline never] run f = match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask -> Some (fun (k : (a, int) continuation) -> show k; leaf (); continue k 1) | _ -> None) }
let rec deep n f = if n = 0 then f () else 1 + deep (n-1) f
let rec deept n f = if n = 0 then f () else try 1 + deept (n-1) f with Not_found -> 2
let () = ignore (try 1 + run three with Not_found -> 2);
  ignore (try try 1 + run three with Not_found -> 2 with Exit -> 3);
  ignore (try try 1 + run (fun () -> 1 + try 1 + run three with Not_found -> 4) with Not_found -> 2 with Exit -> 3);
  ignore (try try 1 + run (fun () -> try 1 + try 1 + Effect.perform Ask with Exit -> 3 with Not_found -> 4) with Not_found -> 2 with Exit -> 3);
  ignore (try try 1 + run (fun () -> try 1 + try 1 + Effect.perform Ask + three () with Exit -> 3 with Not_found -> 4) with Not_found -> 2 with Exit -> 3);
  ignore (run (fun () -> deept 3 (fun () -> let r = Effect.perform Ask in ignore (three ()); r)));
  ignore (run (fun () -> deept 3 (fun () -> deep 20 (fun () -> let r = Effect.perform Ask in ignore (three ()); r))));
  ignore (run (fun () -> deept 3 (fun () -> deep 40 (fun () -> deept 2 (fun () -> let r = Effect.perform Ask in ignore (three ()); leaf (); r)))));
  print_endline "callback";
  ignore (try List.sort (fun a b -> three ()) [1;2] with Not_found -> []);
  let fin name g = ignore (try try Gc.finalise (fun _ -> print_endline name; ignore (g ())) (ref 1); Gc.full_major (); 1 with Exit -> 3 with Not_found -> 4) in
  fin "plain" (fun () -> leaf (); 1); fin "one" one; fin "three" three;
  fin "fiber" (fun () -> run three);
  ignore (run (fun () -> try fin "in a fiber" three; 1 with Exit -> 3))
let () = Domain.join (Domain.spawn (fun () -> try ignore (three ()) with Not_found -> ()))
let () = 
  let fin name g = ignore (try try Gc.finalise (fun _ -> print_endline name; ignore (g ())) (ref 1); Gc.full_major (); 1 with Exit -> 3 with Not_found -> 4) in
  ignore (run (fun () -> try run (fun () -> deept 2 (fun () -> fin "in two" (fun () -> run (fun () -> try run three with Exit -> 2)); 3)) with Not_found -> 5));
  ignore (run (fun () -> try run (fun () -> deept 2 (fun () -> deep 30 (fun () -> let r = Effect.perform Ask in fin "in two" (fun () -> run (fun () -> try run three with Exit -> 2)); 3))) with Not_found -> 5))
let () = let pass f = match_with f () {retc = Fun.id; exnc = raise; effc = fun _ -> None} in
  ignore (run (fun () -> try 1 + pass (fun () -> try deep 30 (fun () -> 1 + Effect.perform Ask + (leaf (); 1)) with Exit -> 1) with Not_found -> 2))
