(* Multiplication by constants, on either side; the same factors as variables give what is expected. *)
let numbers =
  let near k = [ k - 2; k - 1; k; k + 1; k + 2 ] in
  Array.of_list (List.concat_map (fun i -> near (1 lsl i) @ near (-1 lsl i)) (List.init 63 Fun.id))

let check k left right =
  let k = Sys.opaque_identity k and wrong = ref 0 and sum = ref 0 in
  for _ = 1 to 3 do
    Array.iter
      (fun n ->
        if left n <> k * n || right n <> n * k then incr wrong;
        sum := (!sum * 31) + left n)
      numbers
  done;
  Printf.printf "%d: %d wrong, %d\n" k !wrong !sum

let () =
  check 0 (fun n -> 0 * n) (fun n -> n * 0);
  check 1 (fun n -> 1 * n) (fun n -> n * 1);
  check (-1) (fun n -> -1 * n) (fun n -> n * -1);
  check 2 (fun n -> 2 * n) (fun n -> n * 2);
  check 3 (fun n -> 3 * n) (fun n -> n * 3);
  check 5 (fun n -> 5 * n) (fun n -> n * 5);
  check 9 (fun n -> 9 * n) (fun n -> n * 9);
  check 31 (fun n -> 31 * n) (fun n -> n * 31);
  check 128 (fun n -> 128 * n) (fun n -> n * 128);
  check (-128) (fun n -> -128 * n) (fun n -> n * -128);
  check 0x3fff_ffff (fun n -> 0x3fff_ffff * n) (fun n -> n * 0x3fff_ffff);
  check (-0x4000_0000) (fun n -> -0x4000_0000 * n) (fun n -> n * -0x4000_0000);
  check 0x4000_0000 (fun n -> 0x4000_0000 * n) (fun n -> n * 0x4000_0000);
  check 0x1_0000_0001 (fun n -> 0x1_0000_0001 * n) (fun n -> n * 0x1_0000_0001);
  check max_int (fun n -> 0x3fff_ffff_ffff_ffff * n) (fun n -> n * 0x3fff_ffff_ffff_ffff);
  check (-7) (fun n -> -7 * n) (fun n -> n * -7)
