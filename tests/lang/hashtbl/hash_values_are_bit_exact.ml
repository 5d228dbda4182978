type t = A | B | C of int | D of string * float | E of { x : int }
exception Ex of int

let h x = Printf.printf "%d " (Hashtbl.hash x)

let () =
  List.iter h [ 0; 1; -1; 2; 42; 1000; max_int; min_int; 0x40000000; 0x123456789ABCD ];
  print_newline ();
  List.iter h [ ""; "a"; "ab"; "abc"; "abcd"; "abcde"; "hello world"; "\000"; "\000\000"; "\255" ];
  List.iter h [ String.make 15 'x'; String.make 16 'x'; String.make 17 'x'; String.make 1000 'y' ];
  print_newline ();
  List.iter h [ 0.0; -0.0; 1.0; -1.0; 0.1; 1e300; nan; -.nan; infinity; neg_infinity; 5e-324 ];
  print_newline ();
  List.iter h [ 0l; 1l; -1l; Int32.max_int ]; List.iter h [ 0L; 1L; -1L; Int64.max_int ];
  List.iter h [ 0n; 1n; -1n; Nativeint.max_int ];
  print_newline ();
  List.iter h [ A; B; C 1; C 2; D ("d", 1.5); E { x = 3 } ];
  List.iter h [ []; [ 1 ]; [ 1; 2 ]; List.init 20 (fun i -> i) ];
  List.iter h [ [||]; [| 1.0 |]; [| 1.0; 2.0 |] ]; List.iter h [ None; Some 1; Some 2 ];
  print_newline ();
  h (1, 2); h (1, "a", 2.0, 'c', [ 4 ]); h ((1, 2), (3, 4)); h 'x'; h true; h (); h [| "a"; "b" |];
  h (Bytes.of_string "abc"); h (`A); h (`B 1); h (ref 5); h (lazy 3); h (Some (Some (Some 1)));
  h (Array.make 300 7); h (Array.init 300 (fun i -> i));
  print_newline ();
  List.iter (fun (m, n) ->
      Printf.printf "%d " (Hashtbl.hash_param m n [ [ 1; 2 ]; [ 3; 4; 5 ]; [ 6; 7; 8; 9 ] ]))
    [ (1, 1); (2, 5); (3, 100); (10, 10); (100, 100); (1000, 1000) ];
  List.iter (fun s -> Printf.printf "%d %d " (Hashtbl.seeded_hash s "key") (Hashtbl.seeded_hash s
      17))
    [ 0; 1; -1; 123456; max_int ];
  Printf.printf "%d %d\n" (Hashtbl.seeded_hash_param 10 100 5 [ 1.0; 2.0 ])
    (Hashtbl.seeded_hash_param 5 2 5 (1, 2, 3))
