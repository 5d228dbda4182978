(* packages: ctypes - memory described by types: structures, unions, arrays, views, strings, bigarrays. *)
open Ctypes

type point
let point : point structure typ = structure "point"
let x = field point "x" int16_t
let y = field point "y" double
let name = field point "name" (ptr_opt char)
let () = seal point

type either
let either : either union typ = union "either"
let as_int = field either "as_int" int32_t
let as_bytes = field either "as_bytes" (array 4 uint8_t)
let () = seal either

let upper = view string ~read:String.uppercase_ascii ~write:String.lowercase_ascii

let layout () =
  Printf.printf "point: %d bytes, aligned at %d, fields at %d %d %d\n" (sizeof point)
    (alignment point) (offsetof x) (offsetof y) (offsetof name);
  Printf.printf "either: %d bytes\n" (sizeof either);
  List.iter print_endline
    [ string_of_typ point; string_of_typ (ptr (array 3 point)); string_of_typ upper;
      string_of_fn (ptr point @-> int @-> returning (ptr void)) ]

let contents () =
  let p = make point in
  setf p x (-3);
  setf p y 2.5;
  setf p name None;
  Printf.printf "%d %g %b\n" (getf p x) (getf p y) (getf p name = None);
  let text = CArray.of_string "hello" in
  setf p name (Some (CArray.start text));
  (match getf p name with
   | Some start -> print_endline (coerce (ptr char) string start)
   | None -> print_endline "none");
  let u = make either in
  setf u as_int 0x01020304l;
  print_endline
    (String.concat "," (List.map Unsigned.UInt8.to_string (CArray.to_list (getf u as_bytes))));
  (* The cell does not keep the word: this function does. *)
  let word = CArray.of_string "MiXed" in
  let s = allocate (ptr char) (CArray.start word) in
  print_endline !@(from_voidp upper (to_voidp s));
  print_endline !@(from_voidp string (to_voidp s));
  ignore (Sys.opaque_identity word)

let arithmetic () =
  let a = CArray.of_list double [ 1.; 2.; 3.; 4. ] in
  let p = CArray.start a +@ 3 in
  p <-@ 40.;
  Printf.printf "%g %g %d %b\n" !@(p -@ 1) (CArray.fold_left ( +. ) 0. a)
    (ptr_diff (CArray.start a) p) (ptr_compare p (CArray.start a) > 0);
  (try ignore (CArray.get a 4) with Invalid_argument m -> print_endline m);
  let sub = CArray.sub a ~pos:1 ~length:2 in
  CArray.set sub 0 9.;
  CArray.set sub 1 9.5;
  Format.printf "%a@." (format (array 4 double)) a;
  let big = bigarray_of_array array1 Bigarray.float64 a in
  big.{0} <- 7.;
  Printf.printf "%g %d\n" (CArray.get a 0) (Bigarray.Array1.dim big);
  let grid = Bigarray.Array2.init Bigarray.int32 Bigarray.c_layout 2 3
      (fun i j -> Int32.of_int ((10 * i) + j)) in
  let flat = bigarray_start array2 grid in
  Printf.printf "%ld\n" !@(flat +@ 4)

let numbers () =
  let open Unsigned in
  Printf.printf "%s %s %s\n" (UInt8.to_string (UInt8.add (UInt8.of_int 250) (UInt8.of_int 10)))
    (UInt32.to_string (UInt32.sub UInt32.zero UInt32.one))
    (UInt64.to_string (UInt64.div UInt64.max_int (UInt64.of_int 3)));
  Printf.printf "%d %d\n" (compare UInt64.max_int UInt64.one) (Hashtbl.hash (UInt32.of_int 5));
  Printf.printf "%s\n" (LDouble.to_string (LDouble.add (LDouble.of_float 0.5) LDouble.one))

(* The collector frees what nothing points to; a field keeps what it was given. *)
let lifetimes () =
  let freed = ref 0 in
  let fresh i = allocate_n ~finalise:(fun _ -> incr freed) int ~count:(1000 + i) in
  let keep = Array.init 10 fresh in
  for i = 1 to 90 do ignore (fresh i) done;
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "%d\n" !freed;
  Array.iter (fun p -> p <-@ 1) keep;
  let r = Root.create "kept by a root" in
  Gc.compact ();
  print_endline (Root.get r);
  Root.release r

let () = layout (); contents (); arithmetic (); numbers (); lifetimes ()
