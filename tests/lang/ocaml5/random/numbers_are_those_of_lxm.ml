(* Random of 5.x: LXM's next state, splitting, every type of number. String.hash is Hashtbl's. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
external next : (int64, Bigarray.int64_elt, Bigarray.c_layout) Bigarray.Array1.t -> int64 = "caml_lxm_next"
external string_hash : int -> string -> int = "caml_string_hash"
external hash : int -> int -> int -> 'a -> int = "caml_hash"
let () =
  Random.init 42;
  p "%d %d %Ld" (Random.bits ()) (Random.int 1000) (Random.int64 Int64.max_int);
  p "%ld %nd %g %b %Ld" (Random.int32 100000l) (Random.nativeint 1000000n) (Random.float 1.) (Random.bool ()) (Random.bits64 ());
  p "%ld %nx" (Random.bits32 ()) (Random.nativebits ());
  p "%d %d" (Random.full_int 1_000_000_000_000) (Random.int_in_range ~min:(-5) ~max:5);
  p "%ld %Ld" (Random.int32_in_range ~min:(-5l) ~max:500l) (Random.int64_in_range ~min:(-5000L) ~max:5L);
  let s = Random.State.make [| 1; 2; 3 |] in
  let t = Random.State.split s in
  let u = Random.State.copy s in
  p "%d %d %d" (Random.State.bits s) (Random.State.bits t) (Random.State.bits u);
  Random.full_init [| 9 |];
  p "%s" (String.concat " " (List.init 20 (fun _ -> string_of_int (Random.int 100))));
  let b = Random.State.to_binary_string s in
  p "%S %d" b (Random.State.bits (Random.State.of_binary_string b));
  let state = Bigarray.(Array1.of_array Int64 C_layout [| 1L; 2L; 3L; 4L |]) in
  for _ = 1 to 5 do p "%Lx" (next state) done;
  p "%Lx %Lx %Lx %Lx" state.{0} state.{1} state.{2} state.{3};
  let state = Bigarray.(Array1.of_array Int64 C_layout [| -1L; Int64.min_int; -1L; Int64.max_int |]) in
  for _ = 1 to 100000 do ignore (next state) done;
  p "%Lx %Lx %Lx %Lx" state.{0} state.{1} state.{2} state.{3}

let () =
  List.iter (fun s -> p "%d %d" (String.hash s) (Hashtbl.hash s))
    [ ""; "a"; "abc"; "abcd"; String.make 100 'x'; String.make 5000 'y' ];
  List.iter (fun seed -> p "%d %d %d" (string_hash seed "abc") (String.seeded_hash seed "abc") (hash 10 100 seed "abc"))
    [ 0; 1; -1; max_int; 12345678901234 ]
