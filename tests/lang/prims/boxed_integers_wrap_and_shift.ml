(* Every operation of int32, int64, nativeint on all pairs of edge values; then hash, compare, marshalling size. *)
module type INTEGER = sig
  type t
  val name : string
  val zero : t
  val one : t
  val minus_one : t
  val max_int : t
  val min_int : t
  val neg : t -> t
  val add : t -> t -> t
  val sub : t -> t -> t
  val mul : t -> t -> t
  val div : t -> t -> t
  val rem : t -> t -> t
  val unsigned_div : t -> t -> t
  val unsigned_rem : t -> t -> t
  val unsigned_compare : t -> t -> int
  val logand : t -> t -> t
  val logor : t -> t -> t
  val logxor : t -> t -> t
  val lognot : t -> t
  val succ : t -> t
  val pred : t -> t
  val abs : t -> t
  val shift_left : t -> int -> t
  val shift_right : t -> int -> t
  val shift_right_logical : t -> int -> t
  val of_int : int -> t
  val to_int : t -> int
  val of_float : float -> t
  val to_float : t -> float
  val to_string : t -> string
  val compare : t -> t -> int
  val equal : t -> t -> bool
  val swap : t -> t
end

external swap32 : int32 -> int32 = "%bswap_int32"
external swap64 : int64 -> int64 = "%bswap_int64"
external swapn : nativeint -> nativeint = "%bswap_native"
external swap16 : int -> int = "%bswap16"

module Test (I : INTEGER) = struct
  let values =
    I.[ zero; one; minus_one; max_int; min_int; of_int 2; of_int (-2); of_int 7; of_int (-7); of_int 255; of_int 65536;
        of_int 0x12345678; of_int 0x123456789abcdef0; succ min_int; pred max_int; of_int Stdlib.max_int;
        of_int Stdlib.min_int; of_int 46341 ]

  let divide f a b = try I.to_string (f a b) with Division_by_zero -> "/0"

  let pair a b =
    Printf.printf "%s %s %s: %s %s %s %s %s %s %s %s %s %s %d %d %b %b %b %b\n" I.name (I.to_string a) (I.to_string b)
      (I.to_string (I.add a b)) (I.to_string (I.sub a b)) (I.to_string (I.mul a b)) (divide I.div a b)
      (divide I.rem a b) (divide I.unsigned_div a b) (divide I.unsigned_rem a b) (I.to_string (I.logand a b))
      (I.to_string (I.logor a b)) (I.to_string (I.logxor a b)) (I.compare a b) (I.unsigned_compare a b)
      (I.equal a b) (a < b) (a >= b) (a <> b)

  let one a =
    Printf.printf "%s %s: %s %s %s %s %d %h %s hash %d bytes %d\n" I.name (I.to_string a) (I.to_string (I.neg a))
      (I.to_string (I.lognot a)) (I.to_string (I.abs a)) (I.to_string (I.swap a)) (I.to_int a) (I.to_float a)
      (I.to_string (I.of_float (I.to_float a))) (Hashtbl.hash a)
      (String.length (Marshal.to_string a []));
    for count = 0 to 70 do
      Printf.printf " %s,%s,%s" (I.to_string (I.shift_left a count)) (I.to_string (I.shift_right a count))
        (I.to_string (I.shift_right_logical a count))
    done;
    List.iter (fun count -> Printf.printf " %s" (I.to_string (I.shift_left a count))) [ -1; min_int; max_int; 1 lsl 33 ];
    print_newline ()

  let () =
    List.iter one values;
    List.iter (fun a -> List.iter (pair a) values) values
end

module T32 = Test (struct include Int32 let name = "int32" let swap = swap32 end)
module T64 = Test (struct include Int64 let name = "int64" let swap = swap64 end)
module Tn = Test (struct include Nativeint let name = "nativeint" let swap = swapn end)

let () =
  List.iter (fun n ->
      Printf.printf "%Ld %ld %Ld %nd %ld %nd %Ld\n" n (Int64.to_int32 n) (Int64.of_int32 (Int64.to_int32 n))
        (Int64.to_nativeint n) (Nativeint.to_int32 (Int64.to_nativeint n))
        (Nativeint.of_int32 (Int64.to_int32 n)) (Int64.of_nativeint (Int64.to_nativeint n)))
    [ 0L; -1L; 0x80000000L; 0x7fffffffL; 0x123456789abcdef0L; Int64.min_int; Int64.max_int ];
  List.iter (fun n -> Printf.printf "%d " (swap16 n)) [ 0; 1; 256; 0x1234; 0xffff; 0x12345; -1; min_int ];
  print_newline ();
  List.iter (fun (a, b) -> Printf.printf "%d " (compare (a : int) b)) [ 0, 1; 1, 0; 5, 5; min_int, max_int ];
  print_newline ();
  Printf.printf "%s %s %s\n"
    (match Int32.unsigned_to_int (-1l) with Some n -> string_of_int n | None -> "none")
    (match Int64.unsigned_to_int (-1L) with Some n -> string_of_int n | None -> "none")
    (match Nativeint.unsigned_to_int 5n with Some n -> string_of_int n | None -> "none")
