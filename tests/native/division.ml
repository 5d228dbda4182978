(* Division by constants, which is a multiplication or a shift; the same divisors as variables give what is expected. *)
let numbers =
  let near k = [ k - 2; k - 1; k; k + 1; k + 2 ] in
  let powers = List.concat_map (fun i -> near (1 lsl i) @ near (-1 lsl i)) (List.init 62 Fun.id) in
  let multiples = List.concat_map (fun d -> List.concat_map (fun n -> near (d * n)) [ 1; 7; 1000; max_int / d; min_int / d ]) in
  Array.of_list (near min_int @ near max_int @ powers @ multiples [ 3; 5; 7; 10; 97; 10007; 998244353; 0x3fff_ffff_ffff_fffd ])

let check name d quotient remainder =
  let wrong = ref 0 and sum = ref 0 in
  for _ = 1 to 3 do
    Array.iter
      (fun n ->
        let q = quotient n and r = remainder n in
        if q <> n / d || r <> n mod d || (q * d) + r <> n then incr wrong;
        sum := (!sum * 31) + q + r)
      numbers
  done;
  Printf.printf "%s: %d wrong, %d\n" name !wrong !sum

let () =
  check "2" 2 (fun n -> n / 2) (fun n -> n mod 2);
  check "3" 3 (fun n -> n / 3) (fun n -> n mod 3);
  check "4" 4 (fun n -> n / 4) (fun n -> n mod 4);
  check "5" 5 (fun n -> n / 5) (fun n -> n mod 5);
  check "6" 6 (fun n -> n / 6) (fun n -> n mod 6);
  check "7" 7 (fun n -> n / 7) (fun n -> n mod 7);
  check "9" 9 (fun n -> n / 9) (fun n -> n mod 9);
  check "10" 10 (fun n -> n / 10) (fun n -> n mod 10);
  check "97" 97 (fun n -> n / 97) (fun n -> n mod 97);
  check "641" 641 (fun n -> n / 641) (fun n -> n mod 641);
  check "10007" 10007 (fun n -> n / 10007) (fun n -> n mod 10007);
  check "2^16" 65536 (fun n -> n / 65536) (fun n -> n mod 65536);
  check "998244353" 998244353 (fun n -> n / 998244353) (fun n -> n mod 998244353);
  check "2^30" 0x40000000 (fun n -> n / 0x40000000) (fun n -> n mod 0x40000000);
  check "2^31" 0x80000000 (fun n -> n / 0x80000000) (fun n -> n mod 0x80000000);
  check "2^40 + 1" 0x10000000001 (fun n -> n / 0x10000000001) (fun n -> n mod 0x10000000001);
  check "max_int - 2" 0x3fff_ffff_ffff_fffd (fun n -> n / 0x3fff_ffff_ffff_fffd) (fun n -> n mod 0x3fff_ffff_ffff_fffd);
  check "max_int" max_int (fun n -> n / 0x3fff_ffff_ffff_ffff) (fun n -> n mod 0x3fff_ffff_ffff_ffff);
  check "1" 1 (fun n -> n / 1) (fun n -> n mod 1);
  check "-1" (-1) (fun n -> n / -1) (fun n -> n mod -1);
  check "-3" (-3) (fun n -> n / -3) (fun n -> n mod -3);
  check "-8" (-8) (fun n -> n / -8) (fun n -> n mod -8);
  let zero f = try f 3 with Division_by_zero -> -7 in
  Printf.printf "%d %d\n" (zero (fun n -> n / 0)) (zero (fun n -> n mod 0))
