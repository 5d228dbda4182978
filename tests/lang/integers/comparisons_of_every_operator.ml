let o = Sys.opaque_identity
let values = [ min_int; -2; -1; 0; 1; 2; max_int ]
let bit b = if b then '1' else '0'

let () =
  List.iter (fun (a : int) ->
      List.iter (fun (b : int) ->
          let a = o a and b = o b in
          Printf.printf "%c%c%c%c%c%c " (bit (a = b)) (bit (a <> b)) (bit (a < b)) (bit (a <= b))
            (bit (a > b)) (bit (a >= b)))
        values;
      print_newline ())
    values;
  List.iter (fun (a : int) ->
      let a = o a in
      Printf.printf "%b%b%b%b%b%b " (a = 1) (a <> -1) (a < 2) (a <= 0) (a > -2) (a >= 1);
      let s = if a = 100 then "a" else if a <> 7 then (if 3 < a then "b" else "c") else "d" in
      print_string s;
      Printf.printf " %d %d\n" (compare a 0) (compare 1 a))
    values
