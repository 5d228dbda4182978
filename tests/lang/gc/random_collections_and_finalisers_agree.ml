(* stress: no: counts cycles *)
(* Random sequences of requested cycles, finalisers that register others or revive their values,
   weak pointers and ephemerons. No collection is automatic. *)
let state = ref 1

let random n =
  state := ((!state * 1103515245) + 12345) land 0x3fffffff;
  (!state lsr 8) mod n

let out = Buffer.create 10000
let say fmt = Printf.bprintf out fmt

type obj = { id : int; mutable link : obj option; mutable closure : unit -> obj option }

let roots : obj option array = Array.make 5 None
let weak : obj Weak.t = Weak.create 8
let ephemerons = Array.init 4 (fun _ -> Obj.Ephemeron.create 2)
let ephemeron () = ephemerons.(random 4)
let count = ref 0
let fresh () = incr count; { id = !count; link = None; closure = (fun () -> None) }
let pick () = match roots.(random 5) with Some o -> o | None -> fresh ()

let rec finaliser depth o =
  say "f%d " o.id;
  match random 8 with
  | 0 -> roots.(random 5) <- Some o
  | 1 when depth < 3 -> Gc.finalise (finaliser (depth + 1)) o
  | 2 when depth < 3 -> Gc.finalise (finaliser (depth + 1)) (fresh ())
  | 3 -> Weak.set weak (random 8) (Some o)
  | 4 when depth < 3 -> Gc.finalise_last (fun () -> say "l%d " o.id) (ref 0)
  | 5 when depth < 1 -> say "("; Gc.full_major (); say ")"
  | _ -> ()

let observe () =
  for i = 0 to 7 do say "%b " (Weak.check weak i) done;
  Array.iter
    (fun e ->
      let open Obj.Ephemeron in
      say "%b/%b/%b " (check_key e 0) (check_key e 1) (check_data e))
    ephemerons;
  say "\n"

let step () =
  match random 18 with
  | 0 -> roots.(random 5) <- Some (fresh ())
  | 1 | 2 -> roots.(random 5) <- None
  | 3 | 4 -> Gc.finalise (finaliser 0) (pick ())
  | 5 -> let o = pick () in let n = o.id in Gc.finalise_last (fun () -> say "l%d " n) o
  | 6 | 7 -> Weak.set weak (random 8) (Some (pick ()))
  | 8 -> Obj.Ephemeron.set_key (ephemeron ()) (random 2) (Obj.repr (pick ()))
  | 9 -> Obj.Ephemeron.set_data (ephemeron ()) (Obj.repr (pick ()))
  | 10 -> let o = pick () in o.link <- (if random 2 = 0 then None else Some (pick ()))
  | 11 -> let o = pick () and held = pick () in o.closure <- (fun () -> Some held)
  | 12 -> (match Weak.get weak (random 8) with Some o -> roots.(random 5) <- Some o | None -> ())
  | 13 -> Weak.set weak (random 8) None
  | 14 -> (
      match Obj.Ephemeron.get_data (ephemeron ()) with
      | Some o -> roots.(random 5) <- Some (Obj.obj o)
      | None -> ())
  | 15 -> say "major "; Gc.major ()
  | 16 -> say "full_major "; Gc.full_major ()
  | _ -> say "compact "; Gc.compact ()

let () =
  for seed = 1 to 40 do
    state := seed;
    say "%d:\n" seed;
    for _ = 1 to 60 do step (); observe () done
  done;
  print_string (Buffer.contents out)
