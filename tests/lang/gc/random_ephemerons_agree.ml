(* ocaml5: no: OCaml 5.3 crashes *)
(* Random graphs of nodes, ephemerons of one to four keys and finalisers; when nothing more
   dies after a round of changes, the state of all ephemerons is folded into a number. What a round lets go
   is kept until its end, so it doesn't matter when collections happen. *)
module O = Obj.Ephemeron
type node = { id : int; mutable next : node option; mutable other : node option; mutable eph : O.t option }

let seed = ref 12345
let random n =
  seed := (!seed * 1103515245 + 12345) land 0x3fffffff;
  (!seed lsr 8) mod n

let slots = 60
let strong : node option array = Array.make slots None
let ephs = Array.init 80 (fun i -> O.create (1 + i mod 4))
let ids = ref 0
let digest = ref 0
let mix x = digest := (!digest * 31 + x) land 0x3fffffff
let finalised = ref 0
let dropped : Obj.t list ref = ref []
let keep v = dropped := Obj.repr v :: !dropped

let fresh () =
  incr ids;
  let n = { id = !ids; next = strong.(random slots); other = strong.(random slots); eph = None } in
  if random 10 = 0 then n.eph <- Some ephs.(random 80);
  if random 6 = 0 then Gc.finalise_last (fun () -> incr finalised) n;
  if random 9 = 0 then Gc.finalise (fun n -> finalised := !finalised + n.id) n;
  keep n;
  n

let assign slot n = keep strong.(slot); strong.(slot) <- n
let replace_data e = keep (O.get_data e)

let step () =
  match random 9 with
  | 0 | 1 | 2 -> assign (random slots) (Some (fresh ()))
  | 3 | 4 -> assign (random slots) None
  | 5 ->
    let e = ephs.(random 80) in
    replace_data e;
    O.set_data e (Obj.repr (match strong.(random slots) with Some n -> n | None -> fresh ()))
  | 6 ->
    let e = ephs.(random 80) in
    let k = random (O.length e) in
    (match strong.(random slots) with
     | Some n -> O.set_key e k (Obj.repr n)
     | None -> if random 3 = 0 then O.unset_key e k else O.set_key e k (Obj.repr (fresh ())))
  | 7 ->
    let a = ephs.(random 80) and b = ephs.(random 80) in
    let n = min (O.length a) (O.length b) in
    if random 2 = 0 then O.blit_key a 0 b 0 n else (replace_data b; O.blit_data a b)
  | _ ->
    (match O.get_data ephs.(random 80) with
     | Some d -> if random 4 = 0 then assign (random slots) (Some (Obj.obj d : node))
     | None -> ())

let look () =
  Array.iteri (fun i e ->
    for k = 0 to O.length e - 1 do
      match O.get_key e k with
      | Some n -> mix ((Obj.obj n : node).id + i)
      | None -> mix (-1)
    done;
    match O.get_data e with Some n -> mix (Obj.obj n : node).id | None -> mix (-2)) ephs

(* A value that Gc.finalise gave to its function, and what it leads to, may die only later. *)
let rec settle quiet =
  let before = !finalised in
  Gc.full_major ();
  if quiet < 2 then settle (if !finalised = before then quiet + 1 else 0)

let () =
  for round = 1 to 150 do
    for _ = 1 to 1 + random 150 do step () done;
    dropped := [];
    settle 0;
    look ();
    mix !finalised;
    if round mod 10 = 0 then Printf.printf "%d %d %d\n" round !digest !finalised
  done
