let values = [ 0l; 1l; -1l; 2l; 10l; -10l; Int32.max_int; Int32.min_int; 0x12345678l ]
let pr = Printf.printf

let () =
  List.iter (fun a ->
      pr "%ld %lx %lu %s %d %g\n" (Int32.neg a) a a (Int32.to_string a) (Int32.to_int a)
        (Int32.to_float a);
      List.iter (fun b ->
          let open Int32 in
          pr "%ld %ld %ld %lx %lx %lx %d" (add a b) (sub a b) (mul a b) (logand a b) (logor a b)
            (logxor a b) (compare a b);
          (match div a b with
           | q -> pr " %ld %ld %ld %ld\n" q (rem a b) (unsigned_div a b) (unsigned_rem a b)
           | exception Division_by_zero -> pr " div0\n"))
        values;
      List.iter (fun n ->
          let open Int32 in
          pr "%lx %lx %lx;" (shift_left a n) (shift_right a n) (shift_right_logical a n))
        [ 0; 1; 15; 31 ];
      pr " %ld %ld %ld %ld %d\n" (Int32.succ a) (Int32.pred a) (Int32.abs a) (Int32.lognot a)
        (Int32.unsigned_compare a 5l))
    values;
  pr "%s %s\n" (match Int32.unsigned_to_int (-1l) with Some n -> string_of_int n | None -> "-")
    (Int32.to_string (Int32.of_int 0x1_2345_6789))
