(* Loops without calls keep their variables in registers: integers, floats, arrays, strings; they
   swap, leave by exceptions, divide, and need more variables than there are registers. *)

let fib n =
  let a = ref 0 and b = ref 1 in
  for _ = 1 to n do
    let t = !a in
    a := !b;
    b := t + !b
  done;
  !a

let rotate n =
  let a = ref 1 and b = ref 2 and c = ref 3 and d = ref 4 in
  let x = ref 1.5 and y = ref 2.5 and z = ref 3.5 in
  for i = 1 to n do
    let t = !a in
    a := !b; b := !c; c := !d; d := t;
    let t = !x in
    x := !y; y := !z; z := t +. float_of_int i
  done;
  Printf.sprintf "%d %d %d %d %.1f %.1f %.1f" !a !b !c !d !x !y !z

let many n =
  let a = ref 1 and b = ref 2 and c = ref 3 and d = ref 4 and e = ref 5 and f = ref 6 in
  let g = ref 7 and h = ref 8 and i = ref 9 and j = ref 10 in
  let k = ref 0 in
  while !k < n do
    a := !a + !b; b := !b lxor !c; c := !c + !d; d := !d + !e; e := !e land 0xffff;
    e := !e + !f; f := !f + !g; g := !g - !h; h := !h + !i; i := !i + !j; j := !j lor !k;
    incr k
  done;
  [!a; !b; !c; !d; !e; !f; !g; !h; !i; !j]

let many_floats n =
  let a = ref 1. and b = ref 2. and c = ref 3. and d = ref 4. and e = ref 5. in
  let f = ref 6. and g = ref 7. and h = ref 8. and i = ref 9. and j = ref 10. in
  for k = 1 to n do
    a := !a +. !b; b := !b *. 0.5; c := !c -. !d; d := !d +. float_of_int k; e := !e /. !f;
    f := !f +. !g; g := sqrt (abs_float !g); h := -. !h; i := !i +. !j; j := !j *. !h
  done;
  List.map (Printf.sprintf "%.6g") [!a; !b; !c; !d; !e; !f; !g; !h; !i; !j]

let divide l n =
  let q = ref 1000000 and r = ref 0 and i = ref 0 in
  (try
     while true do
       let by = n - !i in
       r := !r + !q mod by;
       q := !q / by + 7919;
       incr i
     done
   with Division_by_zero -> ());
  l (!q, !r, !i)

let first_above (a : float array) limit =
  let i = ref 0 and best = ref neg_infinity in
  (try
     while true do
       let x = a.(!i) in
       if x > limit then raise_notrace Exit;
       if x > !best then best := x;
       incr i
     done
   with Exit | Invalid_argument _ -> ());
  (!i, !best)

let sieve n =
  let s = Bytes.make (n + 1) '\001' and count = ref 0 in
  for i = 2 to n do
    if Bytes.get s i = '\001' then begin
      incr count;
      let j = ref (i * i) in
      while !j <= n do
        Bytes.set s !j '\000';
        j := !j + i
      done
    end
  done;
  !count

(* The type of a variable is any: a list that is empty at times, an option. *)
let lists n =
  let l = ref [] and sum = ref 0 and last = ref None in
  for i = 0 to n do
    (match !l with
     | [] -> l := [i; i + 1; i + 2]
     | x :: rest -> sum := !sum + x; l := rest; last := Some x);
    if i land 7 = 0 then last := None
  done;
  (!sum, !l, !last)

(* Floats that a loop does not change, and one that is read after it, and stored in it. *)
let polynomial (x : float) (into : float array) boxes =
  let y = ref 0. in
  for i = 0 to Array.length into - 1 do
    y := !y *. x +. float_of_int i;
    into.(i) <- !y;
    boxes.(i) <- (if i land 1 = 0 then x :: [] else [!y])
  done;
  !y

let matrix n =
  let a = Array.make_matrix n n 0. in
  for i = 0 to n - 1 do
    for j = 0 to n - 1 do
      let row = a.(i) in
      let s = ref 0. in
      for k = 0 to j do s := !s +. float_of_int (i * k) done;
      row.(j) <- !s
    done
  done;
  let t = ref 0. in
  Array.iter (fun row -> Array.iter (fun x -> t := !t +. x) row) a;
  !t

let words s =
  let n = ref 0 and inside = ref false in
  for i = 0 to String.length s - 1 do
    match s.[i] with
    | ' ' | '\n' -> inside := false
    | _ -> if not !inside then (inside := true; incr n)
  done;
  !n

let () =
  for round = 1 to 3 do
    Printf.printf "%d %s\n" (fib (80 + round)) (rotate (1000 + round));
    List.iter (Printf.printf "%d ") (many 1200);
    List.iter (Printf.printf "%s ") (many_floats 1200);
    divide (fun (q, r, i) -> Printf.printf "\n%d %d %d\n" q r i) (1500 + round);
    let a = Array.init 2000 (fun i -> float_of_int (i mod 977)) in
    let i, best = first_above a 970.5 and j, last = first_above a 1e9 in
    Printf.printf "%d %.1f %d %.1f %d\n" i best j last (sieve 5000);
    let sum, l, last = lists (2000 + round) in
    Printf.printf "%d %d %b\n" sum (List.length l) (last = None);
    let into = Array.make 1500 0. and boxes = Array.make 1500 [] in
    let y = polynomial (0.5 +. float_of_int round /. 10.) into boxes in
    Printf.printf "%.6f %.6f %.6f\n" y into.(1499) (List.hd boxes.(1498) +. List.hd boxes.(1497));
    Printf.printf "%.1f %d\n" (matrix 40) (words (String.concat " \n" (List.init 900 string_of_int)))
  done
