(* Two NaNs meet: the sign and the payload of the result are those of the first.  Programs print
   "nan" or "-nan". *)
let plus = Sys.opaque_identity (Int64.float_of_bits 0x7FF8000000000001L)
let minus = Sys.opaque_identity (Int64.float_of_bits 0xFFF8000000000002L)
let quiet = Sys.opaque_identity (Int64.float_of_bits 0x7FF0000000000003L)

let show name x = Printf.printf "%s %Lx %h %f\n" name (Int64.bits_of_float x) x x

let pairs name f =
  show name (f plus minus);
  show name (f minus plus);
  show name (f quiet minus);
  show name (f minus quiet);
  show name (f plus 1.5);
  show name (f (-1.5) minus)

(* As instructions of their own, and in the middle of expressions. *)
let () =
  pairs "+" ( +. );
  pairs "-" ( -. );
  pairs "*" ( *. );
  pairs "/" ( /. );
  pairs "x + y" (fun x y -> x +. y);
  pairs "x * y" (fun x y -> x *. y);
  pairs "x - y" (fun x y -> x -. y);
  pairs "x / y" (fun x y -> x /. y);
  pairs "x * y - x" (fun x y -> (x *. y) -. x);
  pairs "x * y + y * x" (fun x y -> (x *. y) +. (y *. x));
  pairs "x * x * y" (fun x y -> x *. x *. y)

let () =
  let rec loop n x y = if n = 0 then x else loop (n - 1) (x +. y) (x *. y) in
  pairs "loop" (loop 3000);
  pairs "sum of an array" (fun x y -> Array.fold_left ( +. ) x [| 1.; y; x |]);
  pairs "a record" (fun x y -> let c = Complex.{ re = x; im = y } in (Complex.mul c c).re)

let () =
  pairs "pow" Float.pow;
  pairs "atan2" Float.atan2;
  show "nan + 0 / 0" (nan +. (Sys.opaque_identity 0. /. Sys.opaque_identity 0.));
  show "0 / 0 + nan" ((Sys.opaque_identity 0. /. Sys.opaque_identity 0.) +. nan)
