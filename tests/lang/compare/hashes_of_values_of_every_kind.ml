(* Hashtbl.hash and its limits are the same bit for bit, or tables would be iterated differently. *)
type t = A | B | C of int | D of int * string | E of t * t
exception X of int
let show name h = Printf.printf "%s %d\n" name h
let hash name v = Printf.printf "%s %d %d %d\n" name (Hashtbl.hash v) (Hashtbl.seeded_hash 12345 v) (Hashtbl.hash_param 3 5 v)

let () =
  List.iter (fun n -> hash (string_of_int n) n) [ 0; 1; -1; 2; 100; 65536; 1 lsl 31; 1 lsl 32; 1 lsl 40; max_int; min_int ];
  for n = 0 to 40 do hash (Printf.sprintf "string %d" n) (String.init n (fun i -> Char.chr (i * 37 land 255))) done;
  hash "long string" (String.make 100000 'a');
  List.iter (fun x -> hash (Printf.sprintf "%h" x) x)
    [ 0.; -0.; 1.; -1.; nan; -.nan; Int64.float_of_bits 0x7FF0000000000002L; infinity; neg_infinity; 0.1; 1e300; min_float; 4e-324 ];
  hash "A" A; hash "C" (C 3); hash "D" (D (1, "x")); hash "E" (E (A, E (B, C 4)));
  hash "pair" (1, 2); hash "triple" (1, "two", 3.); hash "list" [ 1; 2; 3 ]; hash "nested" [ [ 1 ]; []; [ 2; 3 ] ];
  hash "long list" (List.init 1000 (fun i -> i)); hash "array" (Array.init 300 (fun i -> i));
  hash "floats" [| 1.; 2.; nan |]; hash "300 floats" (Array.init 300 float_of_int); hash "empty" [||];
  hash "int32" 5l; hash "-int32" (-5l); hash "int64" 5L; hash "-int64" (-5L); hash "big int64" 0x123456789ABCDEFL;
  hash "native" 5n; hash "-native" (-5n); hash "big native" 0x123456789ABCDEFn; hash "-2^31" (-0x80000000n);
  hash "poly" `Foo; hash "poly arg" (`Bar 3); hash "unit" (); hash "option" (Some None);
  hash "bytes" (Bytes.of_string "abc"); hash "record" { contents = "x" };
  hash "exn" Not_found; hash "exn arg" (Failure "x");
  hash "forced lazy" (let l = lazy (Sys.opaque_identity 5) in ignore (Lazy.force l); l);
  hash "forced lazy float" (let l = lazy (Sys.opaque_identity 5.) in ignore (Lazy.force l); l);
  hash "weak" (Weak.create 2, 3);
  hash "deep" (List.fold_left (fun t i -> E (t, C i)) A [ 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12 ]);
  let rec l = 1 :: 2 :: l in
  hash "cycle" l;
  List.iter
    (fun (m, t) -> Printf.printf "param %d %d: %d\n" m t (Hashtbl.hash_param m t (List.init 50 (fun i -> [ i; i * i ]))))
    [ 0, 0; 1, 1; 1, 10; 10, 1; 10, 10; 10, 100; 100, 10; 100, 100; 255, 256; 256, 255; 256, 256; 1000, 1000; -1, 10; 10, -1; max_int, max_int ];
  show "seed" (Hashtbl.seeded_hash max_int "x"); show "seed" (Hashtbl.seeded_hash (-1) "x"); show "seed" (Hashtbl.seeded_hash_param 5 5 7 "x")

let () =
  let h = Hashtbl.create 8 in
  List.iteri (fun i w -> Hashtbl.replace h w i)
    [ "the"; "order"; "of"; "iteration"; "over"; "a"; "table"; "is"; "visible"; "and"; "must"; "not"; "change" ];
  Hashtbl.iter (fun k v -> Printf.printf "%s=%d " k v) h;
  print_newline ();
  let g = Hashtbl.create ~random:false 1 in
  for i = 0 to 100 do Hashtbl.add g (float_of_int i, string_of_int i) i done;
  Hashtbl.iter (fun _ v -> Printf.printf "%d " v) g;
  print_newline ()
