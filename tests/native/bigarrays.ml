(* Elements of bigarrays of several kinds and both layouts, of one to three dimensions: those that
   machine code accesses itself, others, and indices out of bounds. *)
open Bigarray

let hash = ref 17
let mix x = hash := (!hash * 31 + Hashtbl.hash x) land 0xfffffff

let vectors kind layout of_int =
  let a = Array1.create kind layout 20 in
  let first = if Array1.layout a = Obj.magic c_layout then 0 else 1 in
  for i = first to first + 19 do a.{i} <- of_int (i * 37) done;
  for i = -1 to 21 do
    (try mix a.{i} with Invalid_argument text -> mix text);
    (try a.{i} <- of_int i with Invalid_argument text -> mix text)
  done;
  for i = first to first + 19 do mix a.{i} done

let matrices kind layout of_int =
  let a = Array2.create kind layout 5 7 and b = Array3.create kind layout 2 3 4 in
  Array2.fill a (of_int 1);
  Array3.fill b (of_int 2);
  for i = -1 to 8 do
    for j = -1 to 8 do
      (try a.{i, j} <- of_int (10 * i + j) with Invalid_argument _ -> mix i);
      (try mix a.{j, i} with Invalid_argument _ -> mix j);
      for k = 0 to 4 do
        (try b.{k, i, j} <- of_int (100 * k + j) with Invalid_argument _ -> mix k);
        (try mix b.{i, j, k} with Invalid_argument _ -> mix k)
      done
    done
  done

let each layout =
  let id x = x in
  vectors float64 layout float_of_int; matrices float64 layout float_of_int;
  vectors float32 layout float_of_int; matrices float32 layout float_of_int;
  vectors int8_unsigned layout id; matrices int8_unsigned layout id;
  vectors int8_signed layout id; matrices int16_unsigned layout id;
  vectors int layout id; matrices int layout id;
  vectors char layout (fun n -> Char.unsafe_chr (n land 255));
  matrices char layout (fun n -> Char.unsafe_chr (n land 255));
  vectors int32 layout Int32.of_int; matrices int64 layout Int64.of_int;
  vectors nativeint layout Nativeint.of_int;
  vectors complex64 layout (fun n -> { Complex.re = float_of_int n; im = 1. })

(* Some blocks are born when the minor heap is full. *)
let sum (a : (float, float64_elt, c_layout) Array1.t) n =
  let kept = ref [] and total = ref 0. in
  for i = 1 to n do
    let x = a.{i land 15} in
    total := !total +. x;
    if i land 63 = 0 then kept := x :: !kept
  done;
  mix (!total, !kept)

let () =
  for _ = 1 to 3 do each c_layout; each fortran_layout done;
  sum (Array1.init float64 c_layout 16 (fun i -> 1. /. float_of_int (i + 1))) 100_000;
  (* Values of another kind than the bigarray has. *)
  let bytes : (int, int8_unsigned_elt, c_layout) Array1.t = Array1.create int8_unsigned c_layout 4 in
  let floats = Array1.create float64 c_layout 4 in
  for i = 0 to 3 do
    (try bytes.{i} <- Obj.magic 2.5 with Invalid_argument text -> mix text);
    (try floats.{i} <- Obj.magic i with Invalid_argument text -> mix text)
  done;
  Printf.printf "%d\n" !hash
