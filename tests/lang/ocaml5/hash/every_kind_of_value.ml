(* Hashtbl.hash, seeded_hash, hash_param in OCaml 5. *)
type t = A | B of int | C of string * float | D of { x : int; mutable y : t }
let h v = Hashtbl.hash v
let () =
  List.iter (Printf.printf "%d\n")
    [ h 0; h (-1); h max_int; h 'c'; h true; h (); h ""; h "abc"; h (String.make 1000 'x'); h 0.; h (-0.); h nan; h (-.nan); h infinity; h 1e300; h [| 1.; 2. |]; h []; h [1; 2; 3]; h (List.init 100 Fun.id);
      h 5l; h (-5L); h 7n; h (1, "a", 2.5); h A; h (B 3); h (C ("x", 1.)); h (D { x = 1; y = A }); h (Some (Some 3)); h `Poly; h (`P 3); h (ref 5); h [| |]; h (Bytes.of_string "abc"); h (Array.make 20 [1]);
      h (lazy 3); h (Lazy.from_val "forced"); h (Atomic.make 9); h Not_found; h (object end) land 0; h (Bigarray.Array1.of_array Int8_signed C_layout [| 1; 2; 3 |]); h (Bigarray.Array1.of_array Float64 C_layout [| 1.; 2. |]) ];
  List.iter (fun seed -> Printf.printf "%d %d %d\n" (Hashtbl.seeded_hash seed "abc") (Hashtbl.seeded_hash seed [1; 2]) (Hashtbl.seeded_hash seed 3.5)) [0; 1; -1; 12345; max_int];
  List.iter (fun (m, t) -> Printf.printf "%d %d\n" (Hashtbl.hash_param m t [[1; 2]; [3]; [4; 5]]) (Hashtbl.seeded_hash_param m t 9 ("a", ("b", "c")))) [(1, 1); (1, 100); (2, 100); (3, 4); (10, 100); (256, 256)];
  List.iter (fun s -> Printf.printf "%d %d %b\n" (String.hash s) (String.seeded_hash 77 s) (String.hash s = h s)) [""; "a"; "ab"; "abc"; "abcd"; "abcdefghijklmnopqrstuvwxyz"; String.make 300 'q'; "\000\255"];
  let cyc = let rec l = 1 :: l in l in Printf.printf "%d\n" (h cyc)
