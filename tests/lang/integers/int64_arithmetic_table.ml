let values =
  [ 0L; 1L; -1L; 3L; -10L; Int64.max_int; Int64.min_int; 0x123456789ABCDEFL; 0xFFFFFFFFL ]
let pr = Printf.printf

let () =
  List.iter (fun a ->
      pr "%Ld %Lx %Lu %s %d %.17g\n" (Int64.neg a) a a (Int64.to_string a) (Int64.to_int a)
        (Int64.to_float a);
      List.iter (fun b ->
          let open Int64 in
          pr "%Ld %Ld %Ld %Lx %Lx %Lx %d" (add a b) (sub a b) (mul a b) (logand a b) (logor a b)
            (logxor a b) (compare a b);
          (match div a b with
           | q -> pr " %Ld %Ld %Ld %Ld\n" q (rem a b) (unsigned_div a b) (unsigned_rem a b)
           | exception Division_by_zero -> pr " div0\n"))
        values;
      List.iter (fun n ->
          let open Int64 in
          pr "%Lx %Lx %Lx;" (shift_left a n) (shift_right a n) (shift_right_logical a n))
        [ 0; 1; 31; 32; 63 ];
      pr " %Ld %Ld %Ld %Ld %d\n" (Int64.succ a) (Int64.pred a) (Int64.abs a) (Int64.lognot a)
        (Int64.unsigned_compare a 5L))
    values
