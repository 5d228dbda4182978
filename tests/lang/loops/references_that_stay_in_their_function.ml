(* flags: -g *)
(* With -g a reference is a block. Those that nothing else can see have their contents in registers
   in machine code; these functions show whether every way out of a loop writes them back. *)

let sum n =
  let total = ref 0.0 and odd = ref 0 and i = ref 0 in
  while !i < n do
    total := !total +. (float_of_int !i *. 0.5);
    if !i land 1 = 1 then odd := !odd + !i;
    incr i
  done;
  Printf.printf "sum %g %d %d\n" !total !odd !i

let build n =
  let list = ref [] and last = ref "" in
  for i = 1 to n do
    list := (i, !last) :: !list;
    if i mod 3 = 0 then last := string_of_int i
  done;
  Printf.printf "build %d %s\n" (List.length !list)
    (String.concat " " (List.map (fun (i, s) -> string_of_int i ^ s) !list))

(* Assigned within a handler's scope, read in the handler and after it. *)
let search array wanted =
  let at = ref (-1) and seen = ref 0.0 and i = ref 0 in
  (try
     while true do
       seen := !seen +. 1.0;
       if array.(!i) = wanted then (at := !i; raise Exit);
       incr i
     done
   with
  | Exit -> Printf.printf "found at %d of %d, " !at !i
  | Invalid_argument s -> Printf.printf "%s at %d, " s !i);
  Printf.printf "%g seen\n" !seen

let nested n =
  let count = ref 0 and area = ref 0.0 in
  for y = 0 to n - 1 do
    let row = ref 0.0 and x = ref 0 in
    while !x < n && !row < 40.0 do
      row := !row +. float_of_int (!x * y);
      incr x
    done;
    count := !count + !x;
    area := !area +. !row
  done;
  Printf.printf "nested %d %g\n" !count !area

(* More than there are registers: integers, floats, others. *)
let many n =
  let a = ref 1 and b = ref 2 and c = ref 3 and d = ref 4 and e = ref 5 and f = ref 6 in
  let p = ref 0.1 and q = ref 0.2 and r = ref 0.3 and s = ref 0.4 and t = ref 0.5 in
  let u = ref 0.6 and v = ref 0.7 and w = ref 0.8 and x = ref 0.9 and y = ref 1.0 in
  let l = ref [] and m = ref (Some 1) in
  for i = 1 to n do
    a := !a + !b; b := !b lxor !c; c := !c + !d; d := !d - !e; e := !e + !f; f := !f + i;
    p := !p +. !q; q := !q *. !r; r := !r +. !s; s := !s -. !t; t := !t +. !u;
    u := !u +. !v; v := !v *. !w; w := !w +. !x; x := !x -. !y; y := !y +. 0.25;
    if i land 7 = 0 then l := !a :: !l else m := Some !f
  done;
  Printf.printf "many %d %d %d %d %d %d\n" !a !b !c !d !e !f;
  Printf.printf "%h %h %h %h %h %h %h %h %h %h\n" !p !q !r !s !t !u !v !w !x !y;
  List.iter (Printf.printf "%d ") !l;
  match !m with Some k -> Printf.printf "%d\n" k | None -> ()

(* These are seen by others. *)
let captured n =
  let i = ref 0 and total = ref 0.0 in
  let add x = total := !total +. x in
  while !i < n do add (float_of_int !i); incr i; total := !total *. 1.5 done;
  Printf.printf "captured %g %d\n" !total !i

let global = ref (ref 0)

let shared n =
  let r = ref 1 in
  let other = r in
  global := r;
  for i = 1 to n do r := !r + i; other := !other * 2 done;
  Printf.printf "shared %d %d %d %b\n" !r !other !(!global) (r == other)

let passed n =
  let r = ref 0 in
  for i = 1 to n do incr r; List.iter (fun k -> r := !r + k) [ i; 2 ] done;
  Printf.printf "passed %d\n" !r

let of_reference n =
  let inner = ref 3 in
  let outer = ref inner in
  for i = 1 to n do inner := !inner + i; !outer := !(!outer) * 2; outer := ref i done;
  Printf.printf "of reference %d %d\n" !inner !(!outer)

(* One of two references, after a branch. *)
let chosen n =
  let a = ref 1 and b = ref 2 in
  for i = 1 to n do
    let r = if i land 1 = 0 then a else b in
    r := !r + i;
    incr a
  done;
  Printf.printf "chosen %d %d\n" !a !b

(* The kind of content changes where a loop expects it not to. *)
let changing n =
  let r = ref (Obj.repr 0.5) and k = ref 0 in
  for i = 1 to n do
    if i land 15 = 0 then r := Obj.repr "text"
    else if i land 7 = 0 then r := Obj.repr i
    else if Obj.is_block !r && Obj.tag !r = Obj.double_tag then
      r := Obj.repr (Obj.obj !r +. 1.0)
    else (incr k; r := Obj.repr (float_of_int !k))
  done;
  Printf.printf "changing %d %b %b\n" !k (Obj.is_int !r) (Obj.tag !r = Obj.double_tag)

let guessed n =
  let r = ref 0.5 in
  for i = 1 to n do
    if i land 7 = 0 then r := Obj.magic i
    else if i land 7 = 1 then r := 0.25
    else if not (Obj.is_int (Obj.repr !r)) then r := !r +. 1.0
  done;
  Printf.printf "guessed %b\n" (Obj.is_int (Obj.repr !r))

(* In blocks of the major heap, with collections between. *)
let old n =
  let list = ref [] and x = ref 0.0 and i = ref 0 in
  Gc.full_major ();
  for k = 1 to 3 do
    i := 0;
    while !i < n do
      list := !i :: !list;
      x := !x +. 0.5;
      incr i
    done;
    if k land 1 = 0 then Gc.full_major () else Gc.minor ()
  done;
  Printf.printf "old %d %g\n" (List.fold_left ( + ) 0 !list) !x

let one_block n =
  let r = ref 0.0 in
  let kept = ref [] in
  for i = 1 to n do
    r := !r +. float_of_int i;
    if i land 1 = 0 then kept := !r :: !r :: !kept
  done;
  let rec pairs = function a :: b :: rest -> (if a = b then 1 else 0) + pairs rest | _ -> 0 in
  Printf.printf "one block %d %g\n" (pairs !kept) !r

(* Then a tail call of many arguments. *)
let rec six a b c d e f = if a = 0 then b + c + d + e + f else tail (a - 1) b c d e f

and tail a b c d e f =
  let x = ref b and y = ref c and z = ref d in
  let i = ref 0 in
  while !i < 3 do x := !x + !y; y := !y lxor !z; z := !z + 1; incr i done;
  six a !x !y !z (e + 1) f

let words () =
  let words f = let before = int_of_float (Gc.minor_words ()) in
    f 100; int_of_float (Gc.minor_words ()) - before in
  let counts n =
    let a = ref 0 and b = ref [] in
    for i = 1 to n do
      let c = ref i in
      while !c land 3 <> 0 do incr c; incr a done;
      if !c land 7 = 0 then b := !a :: !b
    done in
  Printf.printf "words %d\n" (words counts)

let () =
  for _ = 1 to 3 do
    sum 1001; build 20; nested 12; many 30; captured 10; shared 5; passed 6; of_reference 7;
    chosen 9; changing 40; guessed 4000; guessed 4004; old 300; one_block 11; words ();
    search [| 3; 1; 4; 1; 5 |] 4;
    search [| 3; 1; 4; 1; 5 |] 9;
    Printf.printf "six %d\n" (six 50 1 2 3 4 5)
  done
