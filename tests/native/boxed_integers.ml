(* Int32, Int64 and Nativeint in loops, references, inlined functions and comparisons, and in
   strings. *)
let numbers = [| 0L; 1L; -1L; 3L; -7L; 0x7fffffffL; -0x80000000L; 0x123456789abcdefL; Int64.max_int;
                 Int64.min_int |]

let hash = ref 17
let mix x = hash := (!hash * 31 + Hashtbl.hash x) land 0xfffffff

let xorshift s =
  let open Int64 in
  let x = logxor s (shift_left s 13) in
  let x = logxor x (shift_right_logical x 7) in
  logxor x (shift_left x 17)

let clamp low high x = if Int64.compare x low < 0 then low else if x > high then high else x

let or_zero operation a b = try operation a b with Division_by_zero -> Int64.zero

let pairs () =
  Array.iter (fun a ->
      Array.iter (fun b ->
          let open Int64 in
          mix (add a b); mix (sub a b); mix (mul a b); mix (or_zero div a b); mix (or_zero rem a b);
          mix (logand a (lognot b)); mix (logor a b); mix (compare a b); mix (equal a b);
          mix (a < b); mix (max a b); mix (clamp a b 5L);
          let n = to_int b land 63 in
          mix (shift_left a n); mix (shift_right a n); mix (shift_right_logical a n);
          let x = to_int32 a and y = to_int32 b in
          let open Int32 in
          mix (add x y); mix (mul x y); mix (sub x y); mix (logxor x y); mix (x <= y);
          mix (shift_left x (n land 31)); mix (shift_right_logical x (n land 31));
          mix (to_int x); mix (to_float y);
          mix (try div x y with Division_by_zero -> 0l);
          mix (Nativeint.add (Int64.to_nativeint a) (Nativeint.of_int32 y)))
        numbers)
    numbers

let loop n =
  let state = ref 88172645463325252L and sum = ref 0L and low = ref 0l and small = ref 0 in
  for i = 1 to n do
    state := xorshift !state;
    sum := Int64.add !sum (Int64.rem !state 1000L);
    low := Int32.logxor (Int32.shift_right_logical !low 1) (Int64.to_int32 !state);
    if !state < 0L then incr small;
    if i land 255 = 0 then mix !sum
  done;
  mix !state; mix !low; mix !small;
  (* The number escapes, and stays the same block. *)
  let kept = !sum in
  mix (kept == kept, [kept; Int64.succ kept])

let bytes () =
  let b = Bytes.make 24 '\000' in
  for i = -2 to 20 do
    (try Bytes.set_int64_le b i (Int64.mul 0x0102030405060708L (Int64.of_int i))
     with Invalid_argument text -> mix text);
    (try mix (Bytes.get_int64_be b i) with Invalid_argument text -> mix text);
    (try Bytes.set_int32_be b i (Int32.of_int (i * 123456789)) with Invalid_argument _ -> mix i);
    (try mix (Bytes.get_int32_le b (i + 2)) with Invalid_argument _ -> mix i);
    (try Bytes.set_uint16_le b (i + 3) (i * 4099) with Invalid_argument _ -> mix i);
    (try mix (Bytes.get_int16_be b (i + 1)) with Invalid_argument _ -> mix i);
    mix (Bytes.to_string b)
  done

let () =
  for _ = 1 to 20 do pairs (); bytes () done;
  loop 5000;
  Printf.printf "%d %Ld %ld %nd\n" !hash (xorshift 5L) (Int32.neg Int32.min_int)
    (Nativeint.shift_right (-5n) 1)
