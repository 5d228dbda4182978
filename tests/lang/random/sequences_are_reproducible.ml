let () =
  Printf.printf "%d %d %d\n" (Random.bits ()) (Random.int 1000) (Random.bits ());
  Random.init 42;
  for _ = 1 to 20 do Printf.printf "%d " (Random.int 1_000_000) done;
  print_newline ();
  for _ = 1 to 5 do
    Printf.printf "%d %ld %nd %Ld %.17g %b\n" (Random.bits ()) (Random.int32 1000l)
        (Random.nativeint 1000n)
      (Random.int64 1_000_000_000_000L) (Random.float 10.0) (Random.bool ())
  done;
  for _ = 1 to 5 do Printf.printf "%ld " (Random.int32 Int32.max_int) done;
  print_newline ();
  Random.full_init [| 1; 2; 3; 4; 5 |];
  Printf.printf "%d %d\n" (Random.full_int 4_000_000_000) (Random.bits ());
  let s = Random.State.make [| 7; 8 |] in
  let t = Random.State.copy s in
  Printf.printf "%b\n" (List.init 10 (fun _ -> Random.State.int s 99) = List.init 10 (fun _ ->
      Random.State.int t 99));
  let saved = Random.get_state () in
  let a = Random.bits () in
  Random.set_state saved;
  Printf.printf "%b\n" (a = Random.bits ());
  (try ignore (Random.int 0) with Invalid_argument m -> print_endline m);
  (try ignore (Random.int (1 lsl 31)) with Invalid_argument m -> print_endline m);
  (try ignore (Random.int64 0L) with Invalid_argument m -> print_endline m);
  Random.self_init ();
  Printf.printf "%b\n" (Random.int 10 < 10)
