(* U1, U3: makes marshalled values, changes, cuts and mixes them at random and reads them, closures
   included.
   ocamlrun would crash; this must end with status 0 and print how many were accepted.
   mutate_marshalled.byte [rounds [seed]]
   Module Packing is packing_plain.ml or packing_compressed.ml. *)
let rounds = try int_of_string Sys.argv.(1) with _ -> 20000
let () = Random.init (try int_of_string Sys.argv.(2) with _ -> 1)

let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)
let make k = let rec f x = if x = 0 then k else g (x - 1) and g x = f x + k in (f, g)
let add a b c = a + b + c
open Bigarray

let originals =
  let m v = Bytes.of_string (Marshal.to_string v [ Marshal.Closures ]) in
  [| m even; m odd; m (make 3); m (snd (make 4)); m (add 1); m (add 1 2); m [ add 5; add 6 ];
     m (fun x -> x + Random.int 5); m (lazy (add 1 2 3)); m (object method m = 1 val mutable x = "s" method y = x end);
     m [ 1; 2; 300; 70000; 1 lsl 40 ]; m (Array.init 20 float_of_int); m [ "a"; String.make 300 'x' ];
     m (1l, 2L, 3n); m (Array1.init int c_layout 20 (fun i -> i * i * i)); m (Array2.create complex32 fortran_layout 3 4);
     m Not_found; m (Failure "x", Failure "y"); (let s = "shared" in m [ s; s; s ]); m (Hashtbl.create 10) |]

let codes = [| 0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21; 22; 23; 24; 25; 0x20; 0x40; 0x80; 0x90; 247; 248; 249; 250; 251; 252; 253; 254; 255 |]

let mutate b =
  let b = Bytes.copy b in
  for _ = 0 to Random.int 4 do
    let i = if Random.int 4 = 0 then Random.int (Bytes.length b) else min (Bytes.length b - 1) (20 + Random.int (max 1 (Bytes.length b - 20))) in
    let c = if Random.bool () then codes.(Random.int (Array.length codes)) else Random.int 256 in
    match Random.int 4 with
    | 0 -> Bytes.set b i (Char.chr ((Char.code (Bytes.get b i) + Random.int 5 - 2) land 255))
    | 1 -> let o = originals.(Random.int (Array.length originals)) in
      let n = min (Random.int 30) (min (Bytes.length o - 20) (Bytes.length b - i)) in
      if n > 0 then Bytes.blit o (20 + Random.int (Bytes.length o - 20 - n + 1)) b i n
    | _ -> Bytes.set b i (Char.chr c)
  done;
  b

(* A value made from the grammar, whose numbers agree: readers come further than with damaged ones.
   code: a closure's first field, as it was written. *)
let generate code =
  let b = Buffer.create 100 and objects = ref 0 and words = ref 0 in
  let code_byte c = Buffer.add_char b (Char.chr c) in
  let number bytes n = for i = bytes - 1 downto 0 do code_byte ((n asr (8 * i)) land 255) done in
  let block n = if n > 0 then (incr objects; words := !words + 1 + n) in
  let bytes n = for _ = 1 to n do code_byte (Random.int 256) done in
  let text n = block ((n / 8) + 1); bytes n in
  let custom name data = code_byte 0x12; Buffer.add_string b (name ^ "\000"); block 2; bytes data in
  let rec items depth n = for _ = 1 to n do item depth done
  and scanned depth tag n =
    block n;
    if tag < 16 && n < 8 && Random.bool () then code_byte (0x80 + tag + (n lsl 4))
    else (code_byte 8; number 4 ((n lsl 10) lor tag));
    items (depth + 1) n
  and closure depth =
    let n = 2 + Random.int 3 in
    block n;
    code_byte 8; number 4 ((n lsl 10) lor 247);
    Buffer.add_string b code;
    code_byte 2; number 4 (Random.int 3 lsl 24 + (2 * (1 + Random.int 3)) + Random.int 2);
    items (depth + 1) (n - 2)
  and item depth =
    match if depth > 6 then Random.int 6 else Random.int 20 with
    | 0 | 1 -> code_byte (0x40 + Random.int 64)
    | 2 -> code_byte 0; bytes 1
    | 3 -> code_byte 3; bytes 8
    | 4 | 5 -> if !objects > 0 then (code_byte 4; number 1 (1 + Random.int (min 255 !objects))) else code_byte 0x41
    | 6 -> let n = Random.int 32 in code_byte (0x20 + n); text n
    | 7 -> let n = Random.int 100 in code_byte 9; number 1 n; text n
    | 8 -> code_byte 12; block 1; bytes 8
    | 9 -> let n = 1 + Random.int 5 in code_byte 14; number 1 n; block n; bytes (8 * n)
    | 10 -> custom "_j" 8
    | 11 -> custom "_i" 4
    | 12 -> code_byte 0x11; number 4 (8 * (1 + Random.int 4)); closure depth
    | 13 -> closure depth
    | 14 -> scanned depth (Random.int 247) (Random.int 4)
    | 15 -> scanned depth [| 246; 248; 249; 250; 251; 255; 252; 253 |].(Random.int 8) (1 + Random.int 3)
    | _ -> scanned depth 0 (Random.int 6) in
  item 0;
  let content = Buffer.contents b in
  Buffer.clear b;
  let near n = if Random.int 20 = 0 then n + Random.int 3 - 1 else n in
  number 4 0x8495A6BE;
  List.iter (fun n -> number 4 (near n)) [ String.length content; !objects; 2 * !words; !words ];
  Bytes.of_string (Buffer.contents b ^ content)

let code_of_even = Bytes.sub_string (originals.(0)) 25 21
let base () =
  if Random.bool () then originals.(Random.int (Array.length originals)) else generate code_of_even

(* A mutant, packed; at times the packed bytes are damaged, too. *)
let mutant () =
  let b = base () in
  let b = Packing.pack (if Random.bool () then b else mutate b) in
  if Random.int 4 = 0 then mutate b else b

(* Visits the result, whose type is unknown. It may be cyclic: at most 1000 blocks are visited. *)
let left = ref 0
let rec visit depth v =
  let r = Obj.repr v in
  decr left;
  if !left > 0 && Obj.is_block r && depth < 20 && Obj.tag r < Obj.no_scan_tag && Obj.tag r <> Obj.infix_tag then
    for i = 0 to min 50 (Obj.size r) - 1 do
      if Obj.tag r <> Obj.closure_tag then visit (depth + 1) (Obj.field r i)
    done

let call f = try ignore (Sys.opaque_identity ((Obj.magic f : int -> Obj.t) 3)) with _ -> ()
let rec call_closures depth v =
  let r = Obj.repr v in
  decr left;
  if !left > 0 && Obj.is_block r && depth < 5 then
    if Obj.tag r = Obj.closure_tag || Obj.tag r = Obj.infix_tag then call r
    else if Obj.tag r < Obj.lazy_tag then for i = 0 to min 10 (Obj.size r) - 1 do call_closures (depth + 1) (Obj.field r i) done

let () =
  let accepted = ref 0 and refused = ref 0 in
  for i = 1 to rounds do
    let b = mutant () in
    (match (Marshal.from_bytes b 0 : Obj.t) with
     | v ->
       incr accepted;
       left := 1000;
       visit 0 v;
       ignore (Hashtbl.hash v);
       (* To compare a block that forwards to itself has no end, in OCaml either. *)
       if Obj.is_int v || Obj.tag v <> Obj.forward_tag then begin
         (try ignore (compare v v) with _ -> ());
         try ignore (v = Obj.repr (add 1)) with _ -> ()
       end;
       (try ignore (Marshal.to_string v [ Marshal.Closures ]) with _ -> ());
       left := 1000;
       call_closures 0 v
     | exception (Failure _ | Invalid_argument _ | Out_of_memory) -> incr refused);
    if i mod 1000 = 0 then Gc.full_major ()
  done;
  Printf.printf "%d accepted, %d refused\n" !accepted !refused
