(* stress: no: says what a collection clears *)
(* Weak pointers to continuations, finalisers on them, tables of them. *)
open Effect.Deep
type _ Effect.t += Hold : int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n%!")
let capture v : (int, int) continuation =
  let kept = ref None in
  ignore (match_with (fun () -> let b = ref v in let n = Effect.perform Hold in !b + n) () { retc = Fun.id; exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with Hold -> Some (fun (k : (a, int) continuation) -> kept := Some (Obj.magic k); 0) | _ -> None) });
  Option.get !kept
let () =
  let w : (int, int) continuation Weak.t = Weak.create 4 in
  let kept = capture 10 in
  Weak.set w 0 (Some kept);
  let[@inline never] more () = Weak.set w 1 (Some (capture 20)); Weak.set w 2 (Some (capture 30)) in more ();
  Gc.full_major (); say "%b %b %b" (Weak.check w 0) (Weak.check w 1) (Weak.check w 2);
  (match Weak.get w 0 with Some k -> say "%d" (continue k 1) | None -> say "gone");
  let[@inline never] finalised () = Gc.finalise (fun k -> say "finalised, resumed: %d" (continue k 5)) (capture 40) in finalised ();
  Gc.full_major ();
  let h = Hashtbl.create 10 in
  for i = 1 to 100 do Hashtbl.replace h i (capture i) done; Gc.compact ();
  say "%d" (Hashtbl.fold (fun i k s -> s + continue k i) h 0);
  let nested = List.init 10 (fun i -> [| Some (capture i, lazy (capture (i * 2))) |]) in
  Gc.full_major (); say "%d" (List.fold_left (fun s a -> match a.(0) with Some (k, l) -> s + continue k 1 + continue (Lazy.force l) 1 | None -> s) 0 nested);
  let[@inline never] cycle () = let r = ref None in let k = (let kept = ref None in
      ignore (match_with (fun () -> let mine = r in let n = Effect.perform Hold in (match !mine with Some _ -> n | None -> -n)) () { retc = Fun.id; exnc = raise;
        effc = (fun (type a) (e : a Effect.t) -> match e with Hold -> Some (fun (k : (a, int) continuation) -> kept := Some (Obj.magic k : (int, int) continuation); 0) | _ -> None) }); Option.get !kept) in
    r := Some k; Weak.set w 3 (Some k) in
  cycle (); ignore (Sys.opaque_identity kept)
