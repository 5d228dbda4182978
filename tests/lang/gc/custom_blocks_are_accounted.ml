let () =
  let keep = ref [] in
  for i = 1 to 20_000 do
    let b = Bigarray.Array1.create Bigarray.char Bigarray.c_layout 10_000 in
    b.{0} <- 'x';
    if i mod 1000 = 0 then keep := b :: !keep
  done;
  Printf.printf "%d %c\n" (List.length !keep) (List.hd !keep).{0};
  let sum = ref 0L in
  for i = 1 to 100_000 do sum := Int64.add !sum (Int64.of_int i) done;
  Printf.printf "%Ld\n" !sum
