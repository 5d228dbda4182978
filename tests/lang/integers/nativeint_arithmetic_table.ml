let values = [ 0n; 1n; -1n; 3n; -10n; Nativeint.max_int; Nativeint.min_int; 0x123456789ABCDEFn ]
let pr = Printf.printf

let () =
  pr "%d\n" Nativeint.size;
  List.iter (fun a ->
      pr "%nd %nx %nu %s %d %.17g\n" (Nativeint.neg a) a a (Nativeint.to_string a)
        (Nativeint.to_int a) (Nativeint.to_float a);
      List.iter (fun b ->
          let open Nativeint in
          pr "%nd %nd %nd %nx %nx %nx %d" (add a b) (sub a b) (mul a b) (logand a b) (logor a b)
            (logxor a b) (compare a b);
          (match div a b with
           | q -> pr " %nd %nd %nd %nd\n" q (rem a b) (unsigned_div a b) (unsigned_rem a b)
           | exception Division_by_zero -> pr " div0\n"))
        values;
      List.iter (fun n ->
          let open Nativeint in
          pr "%nx %nx %nx;" (shift_left a n) (shift_right a n) (shift_right_logical a n))
        [ 0; 1; 31; 63 ];
      pr " %nd %nd %nd %nd\n" (Nativeint.succ a) (Nativeint.pred a) (Nativeint.abs a)
        (Nativeint.lognot a))
    values
