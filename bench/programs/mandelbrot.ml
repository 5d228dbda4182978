(* Float arithmetic in local variables: area of the Mandelbrot set, and a small picture. *)
let escape limit cx cy =
  let x = ref 0. and y = ref 0. and i = ref 0 in
  while !i < limit && (!x *. !x) +. (!y *. !y) < 4. do
    let t = (!x *. !x) -. (!y *. !y) +. cx in
    y := (2. *. !x *. !y) +. cy;
    x := t;
    incr i
  done;
  !i

let count size limit =
  let inside = ref 0 in
  for row = 0 to size - 1 do
    for column = 0 to size - 1 do
      let cx = (3. *. float_of_int column /. float_of_int size) -. 2.
      and cy = (3. *. float_of_int row /. float_of_int size) -. 1.5 in
      if escape limit cx cy = limit then incr inside
    done
  done;
  !inside

let () =
  for row = 0 to 20 do
    for column = 0 to 59 do
      let n = escape 50 ((float_of_int column /. 20.) -. 2.2) ((float_of_int row /. 10.) -. 1.) in
      print_char " .:-=+*#%@".[n * 9 / 50]
    done;
    print_newline ()
  done;
  Printf.printf "%d\n" (count (int_of_string Sys.argv.(1)) 60)
