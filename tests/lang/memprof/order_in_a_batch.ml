(* ocaml5: no: what becomes pending in a callback waits for the next collection *)
(* stress: no: prints when each block is promoted or dies *)
(* What became pending while no callback could run comes in OCaml's order. *)
open Gc.Memprof

let names : (string, string) tracker ref = ref null_tracker
let log = ref []
let say s = log := s :: !log
let show title = Printf.printf "%-28s %s\n" title (String.concat " " (List.rev !log)); log := []
let poll () = ()
let keep = Array.make 20 (Obj.repr 0)
let hold i v = keep.(i) <- Obj.repr v

let name letter (a : allocation) =
  if a.size >= 11 && a.size < 20 || a.size >= 300 then begin
    let v = Printf.sprintf "%s%d" letter a.size in
    say ("+" ^ v);
    Some v
  end
  else None

let tracker during =
  { alloc_minor = (fun a -> if a.size = 10 then (during (); None) else name "m" a);
    alloc_major = name "M";
    promote = (fun v -> say ("^" ^ v); Some v);
    dealloc_minor = (fun v -> say ("-" ^ v));
    dealloc_major = (fun v -> say ("-" ^ v)) }

let block n = Array.make n 0

(* Runs work while a callback is running: callbacks that become pending run afterwards. *)
let inside title before work =
  start ~callstack_size:0 ~sampling_rate:1. (tracker work);
  before ();
  poll ();
  say "|";
  ignore (Sys.opaque_identity (1, 2, 3, 4, 5, 6, 7, 8, 9, Sys.opaque_identity 10));
  say "|";
  poll ();
  stop ();
  Array.fill keep 0 20 (Obj.repr 0);
  show title

let () =
  inside "allocations in a callback" ignore (fun () -> hold 0 (block 11));
  inside "death of young" (fun () -> ignore (block 11); ignore (block 12)) Gc.minor;
  inside "promotions" (fun () -> hold 1 (block 12); hold 0 (block 11)) Gc.minor;
  inside "mixed fates" (fun () ->
    for i = 1 to 4 do hold i (block (10 + i)); ignore (block (14 + i)) done) Gc.minor;
  inside "promotion and death" (fun () -> hold 0 (block 11); hold 1 (block 12)) (fun () ->
    Gc.minor (); keep.(0) <- Obj.repr 0; keep.(1) <- Obj.repr 0; Gc.full_major ());
  inside "old before new" (fun () -> hold 0 (block 300); hold 1 (block 11)) (fun () ->
    Gc.minor (); keep.(0) <- Obj.repr 0; Gc.full_major ());
  inside "later death of an earlier one" (fun () -> hold 0 (block 11); Gc.minor (); hold 1 (block 12))
    (fun () -> Gc.minor (); keep.(0) <- Obj.repr 0; Gc.full_major ());
  inside "everything dies" (fun () ->
    hold 0 (block 300); hold 1 (block 11); Gc.minor (); hold 2 (block 12); hold 3 (block 301))
    (fun () -> Gc.minor (); Array.fill keep 0 20 (Obj.repr 0); Gc.full_major ())

(* Bytecode's blocks and C's in program order. *)
let () =
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a -> say (string_of_int a.size); None);
      alloc_major = (fun a -> say (string_of_int a.size); None) };
  let a = Array.make 11 0 in
  let b = (1, 2, a) in
  let c = Bytes.create 5000 in
  let d = (Array.make 12 0, Array.make 300 b, (c, 1, 2, 3)) in
  ignore (Sys.opaque_identity d);
  poll ();
  stop ();
  show "program order"
