(* packages: zarith - numbers of any size: custom blocks that compare, hash and travel. *)
let rec fact n = if n = 0 then Z.one else Z.mul (Z.of_int n) (fact (n-1))
let () = print_endline (Z.to_string (fact 200));
  let a = fact 60 and b = fact 61 in
  Printf.printf "%b %d %d %b\n" (Z.equal (Z.div b a) (Z.of_int 61)) (compare a b) (Hashtbl.hash a) (a = b);
  let c : Z.t list = Marshal.from_string (Marshal.to_string [a;b;Z.neg a;Z.of_int 5] []) 0 in
  List.iter (fun z -> print_endline (Z.to_string z)) c;
  print_endline (Digest.to_hex (Digest.string (Marshal.to_string [a;b;Z.neg a] [])));
  (try ignore (Z.div a Z.zero) with Division_by_zero -> print_endline "div0");
  Printf.printf "%d %d\n" (compare (Z.of_int 3) a) (compare a (Z.of_int 3));
  print_endline (Q.to_string (Q.of_string "22/44"));
  print_endline (Z.to_string (Z.powm (Z.of_string "123456789012345678901234567890") (Z.of_int 65537) (Z.of_string "987654321098765432109876543211")))
