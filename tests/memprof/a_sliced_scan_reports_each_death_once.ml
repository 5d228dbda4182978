(* options: --gc-stress=5 *)
(* After marking tracked blocks are examined in slices (ME5), and marking visits user values in
   slices (R3): here of some 50 blocks each, and between them the program allocates, forgets, stops,
   discards and starts profiles. Each death is reported once, by the profile that tracks the block,
   with its user value; no live block is reported dead; nothing follows a discard. *)
open Bactrian.Memprof

let errors = ref 0
let error s = incr errors; if !errors < 10 then print_endline s
let seed = ref 12345
let random n = seed := ((!seed * 1103515245) + 12345) land 0x3fffffff; !seed lsr 8 mod n

type life = Alive | Dead
type story = { owner : profile; guard : string; mutable life : life }
and profile = { number : int; mutable births : int; mutable deaths : int; mutable over : bool;
                mutable handle : t option }

let guard p n = string_of_int p.number ^ "/" ^ string_of_int n
let hear p = if p.over then error "a callback after discard"

let track p (_ : allocation) =
  hear p;
  p.births <- p.births + 1;
  Some { owner = p; guard = guard p p.births; life = Alive }

let promote p s =
  hear p;
  if s.owner != p || s.life <> Alive then error "promoted, but not alive";
  (* Another block each time: marking may be under way. *)
  Some (if random 2 = 0 then s else { s with guard = String.concat "" [ s.guard; "" ] })

let die p s =
  hear p;
  if s.owner != p || s.life <> Alive then error "told dead, but not alive";
  if not (String.contains s.guard '/') then error "a user value is damaged";
  s.life <- Dead;
  p.deaths <- p.deaths + 1

let count = ref 0
let begin_profile () =
  incr count;
  let p = { number = !count; births = 0; deaths = 0; over = false; handle = None } in
  p.handle <- Some (start ~callstack_size:3 ~sampling_rate:0.3
    { alloc_minor = track p; alloc_major = track p; promote = promote p; dealloc_minor = die p;
      dealloc_major = die p });
  p

let table = Array.make 3000 (ref 0)
let current = ref (begin_profile ())
let stopped = ref []
let total = ref 0

let finish p = total := !total + p.deaths

let turn () =
  stop ();
  stopped := !current :: !stopped;
  current := begin_profile ();
  match List.partition (fun _ -> random 3 = 0) !stopped with
  | gone, rest ->
    List.iter (fun p -> Option.iter discard p.handle; p.over <- true; finish p) gone;
    stopped := rest

let () =
  for i = 1 to 60_000 do
    table.(random (Array.length table)) <- ref i;
    if random 1000 = 0 then Array.fill table (random 2000) 1000 (ref 0);
    if i mod 2500 = 0 then turn ()
  done;
  stop ();
  Array.fill table 0 (Array.length table) (ref 0);
  for _ = 1 to 3 do Gc.full_major () done;
  List.iter
    (fun p ->
      finish p;
      if p.births - p.deaths > 30 then
        error (Printf.sprintf "profile %d: %d of %d blocks did not die" p.number
                 (p.births - p.deaths) p.births))
    (!current :: !stopped);
  Printf.printf "%d profiles, %s deaths, %d errors\n" !count
    (if !total > 10_000 then "many" else string_of_int !total) !errors
