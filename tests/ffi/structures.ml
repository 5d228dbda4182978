(* Structures and unions by value, both ways, of each class of the ABI. *)
open Ffi
open Check

type s1
type s2

(* A structure of two or three fields of one type. *)
let fields name types =
  let s : s1 structure typ = structure name in
  let list = List.mapi (fun i t -> field s (String.make 1 (Char.chr (97 + i))) t) types in
  seal s;
  (s, list)

let turn name s = foreign ~lib ("turn_" ^ name) (s @-> returning s)

(* C turns the fields around: c a b. *)
let turned name typ values =
  let s, list = fields name (List.map (fun _ -> typ) values) in
  let v = make s in
  List.iter2 (setf v) list values;
  let w = turn name s v in
  churn ();
  let n = List.length values in
  let expected = List.init n (fun i -> List.nth values ((i + n - 1) mod n)) in
  same name expected (List.map (getf w) list);
  same (name ^ " was not changed") values (List.map (getf v) list)

let two name ta tb =
  let s : s1 structure typ = structure name in
  let a = field s "a" ta in
  let b = field s "b" tb in
  seal s;
  (s, a, b)

let () =
  turned "three_bytes" uint8_t [1; 2; 255];
  turned "two_ints" int [-5; 7];
  turned "three_ints" int [1; -2; 3];
  turned "two_floats" float [1.5; -2.5];
  turned "three_floats" float [1.5; -2.5; 3.25];
  turned "two_longs" long [max_int; min_int];
  turned "three_longs" int64_t [1L; Int64.min_int; 3L];
  turned "five_doubles" double [1.; 2.; 3.; 4.; 5.]

let () =
  let s, list = fields "one_char" [char] in
  let v = make s in
  setf v (List.hd list) 'a';
  same "one_char" 'b' (getf (turn "one_char" s v) (List.hd list));
  let s, list = fields "one_double" [double] in
  let v = make s in
  setf v (List.hd list) 1.25;
  same "one_double" 2.5 (getf (turn "one_double" s v) (List.hd list));
  let s, list = fields "one_long_double" [long_double] in
  let v = make s in
  setf v (List.hd list) 1.25;
  same "one_long_double" 2.5 (getf (turn "one_long_double" s v) (List.hd list))

let () =
  let s, a, b = two "int_float" int float in
  let v = make s in
  setf v a 3;
  setf v b 7.;
  let w = turn "int_float" s v in
  same "int_float" (7, 3.) (getf w a, getf w b);
  let s, a, b = two "int_double" int64_t double in
  let v = make s in
  setf v a 3L;
  setf v b 7.;
  let w = turn "int_double" s v in
  same "int_double" (7L, 3.) (getf w a, getf w b);
  let s, a, b = two "double_int" double int in
  let v = make s in
  setf v a 3.;
  setf v b 7;
  let w = turn "double_int" s v in
  same "double_int" (7., 3) (getf w a, getf w b);
  same "double_int: size and offset" (16, 8) (sizeof s, offsetof b);
  let s, a, b = two "pointer_and_size" size_t size_t in
  let v = make s in
  setf v a 1;
  setf v b 2;
  same "pointer_and_size" (1, 1) (getf v a, getf (turn "pointer_and_size" s v) b)

let () =
  let inner, list = fields "two_ints" [int; int] in
  let s : s2 structure typ = structure "nested" in
  let tag = field s "tag" char in
  let inside = field s "inner" inner in
  seal s;
  let v = make s in
  setf v tag 'x';
  List.iter2 (setf (getf v inside)) list [1; 2];
  let w = turn "nested" s v in
  same "nested" ('y', [2; 1]) (getf w tag, List.map (getf (getf w inside)) list);
  let copy = make inner in
  List.iter2 (setf copy) list [8; 9];
  setf v inside copy;
  same "nested: stored as a whole" [8; 9] (List.map (getf (getf v inside)) list);
  let inner, b, c = two "inner" char float in
  let s : s2 structure typ = structure "padded" in
  let a = field s "a" char in
  let inside = field s "inner" inner in
  seal s;
  let v = make s in
  setf v a 'a';
  setf (getf v inside) b 'b';
  setf (getf v inside) c 1.5;
  let w = turn "padded" s v in
  same "padded" ('b', 'c', 3.) (getf w a, getf (getf w inside) b, getf (getf w inside) c)

let with_array name typ n values =
  let s : s1 structure typ = structure name in
  let f = field s "values" (array n typ) in
  seal s;
  let v = make s in
  setf v f (Carray.of_list typ values);
  (s, f, v)

let () =
  let s, f, v = with_array "with_array" int16_t 3 [1; -2; 3] in
  same "with_array" [3; 1; -2] (Carray.to_list (getf (turn "with_array" s v) f));
  let s, f, v = with_array "float_array" float 4 [1.; 2.; 3.; 4.] in
  same "float_array" [4.; 1.; 2.; 3.] (Carray.to_list (getf (turn "float_array" s v) f));
  refuses "an array of another length" (fun () -> setf v f (Carray.of_list float [1.]));
  let s : s1 structure typ = structure "big_array" in
  let n = field s "n" int in
  let bytes = field s "bytes" (array 100 uint8_t) in
  seal s;
  let v = make s in
  setf v n 1;
  Carray.set (getf v bytes) 0 5;
  Carray.set (getf v bytes) 99 6;
  let w = turn "big_array" s v in
  let a = getf w bytes in
  same "big_array" (2, 6, 5, 0) (getf w n, Carray.get a 0, Carray.get a 1, Carray.get a 99);
  refuses "beyond an array" (fun () -> Carray.get a 100)

let () =
  let u : s1 structure typ = union "int_or_float" in
  let i = field u "i" int32_t in
  let x = field u "f" float in
  seal u;
  let v = make u in
  setf v x 1.5;
  same "union: shared bytes" (Int32.bits_of_float 1.5) (getf v i);
  same "union of integer and float" (Int32.succ (Int32.bits_of_float 1.5))
    (getf (turn "int_or_float" u v) i);
  let u : s1 structure typ = union "two_doubles" in
  let d = field u "d" (array 2 double) in
  let _ = field u "f" float in
  seal u;
  let v = make u in
  setf v d (Carray.of_list double [1.; 2.]);
  same "union of floating point" [2.; 1.] (Carray.to_list (getf (turn "two_doubles" u v) d));
  let u : s1 structure typ = union "long_or_doubles" in
  let n = field u "n" int64_t in
  let d = field u "d" (array 2 double) in
  seal u;
  let v = make u in
  setf v d (Carray.of_list double [1.; 2.]);
  setf v n 5L;
  let w = turn "long_or_doubles" u v in
  same "union, its halves in both kinds of registers" (6L, 4.)
    (getf w n, Carray.get (getf w d) 1);
  let u : s1 structure typ = union "long_double_or_int" in
  let _ = field u "x" long_double in
  let _ = field u "i" int in
  seal u;
  refuses "a union that no register carries" (fun () -> turn "none" u)

let () =
  let id, ia, ib = two "int_double" int64_t double in
  let ii, ja, jb = two "two_ints" int int in
  let ff, fa, fb = two "two_floats" float float in
  let ll, la, lb = two "two_longs" long long in
  let five, list = fields "five_doubles" [double; double; double; double; double] in
  let c =
    foreign ~lib "structs_among"
      (int @-> id @-> double @-> ii @-> five @-> ff @-> id @-> id @-> ll @-> int
       @-> returning double) in
  let pair s a b x y =
    let v = make s in
    setf v a x;
    setf v b y;
    v in
  let v5 = make five in
  List.iter2 (setf v5) list [7.; 0.; 0.; 0.; 8.];
  let expected = List.fold_left (fun sum i -> sum + (i * i)) 0 (List.init 17 succ) in
  same "structures among other arguments" (Float.of_int expected)
    (c 1 (pair id ia ib 2L 3.) 4. (pair ii ja jb 5 6) v5 (pair ff fa fb 9. 10.)
       (pair id ia ib 11L 12.) (pair id ia ib 13L 14.) (pair ll la lb 15 16) 17)

let () =
  let s : s1 structure typ = structure "open" in
  let a = field s "a" int in
  refuses "not sealed: size" (fun () -> sizeof s);
  refuses "not sealed: by value" (fun () -> foreign ~lib "turn_two_ints" (s @-> returning s));
  seal s;
  refuses "sealed: another field" (fun () -> field s "b" int);
  refuses "sealed twice" (fun () -> seal s);
  let other, _, _ = two "other" int int in
  refuses "a field of another structure" (fun () -> getf (make other) a);
  refuses "empty" (fun () -> seal (structure "empty" : s1 structure typ))
