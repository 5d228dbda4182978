let o = Sys.opaque_identity
let values = [ 0.0; -0.0; 1.0; -2.5; 1e308; 5e-324; infinity; neg_infinity; nan ]
let bit b = if b then '1' else '0'

let () =
  List.iter (fun a ->
      List.iter (fun b ->
          let a = o a and b = o b in
          Printf.printf "%h %h %h %h %h %h" (a +. b) (a -. b) (a *. b) (a /. b) (mod_float a b)
            (copysign a b);
          Printf.printf " %c%c%c%c%c%c %d %c\n" (bit (a = b)) (bit (a <> b)) (bit (a < b))
            (bit (a <= b)) (bit (a > b)) (bit (a >= b)) (compare a b) (bit (compare a b = 0)))
        values;
      Printf.printf "%h %h %h %h\n" (~-.(o a)) (abs_float (o a)) (sqrt (o a)) (floor (o a)))
    values
