let total = ref 0
let table = Array.make 10 0

let step i =
  total := !total + i;
  table.(i mod 10) <- !total

let () =
  for i = 1 to 5000 do
    step i
  done;
  let n = ref 3 in
  while !n > 0 do
    decr n
  done;
  print_int !total;
  print_newline ();
  for i = 3 downto 1 do
    print_int (table.(i) * i);
    print_newline ()
  done
