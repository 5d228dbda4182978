(* LXM: every function from known seeds. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let ten f = String.concat " " (List.init 10 (fun _ -> f ()))
let () =
  List.iter (fun seed -> Random.init seed; say "%d: %s" seed (ten (fun () -> string_of_int (Random.bits ())))) [0; 1; 42; -7; max_int];
  Random.full_init [| 1; 2; 3 |]; say "%s" (ten (fun () -> string_of_int (Random.int 1000)));
  Random.full_init [||]; say "%s" (ten (fun () -> string_of_int (Random.int 7)));
  Random.init 3;
  say "%s" (ten (fun () -> string_of_int (Random.full_int (1 lsl 40))));
  say "%s" (ten (fun () -> string_of_int (Random.int_in_range ~min:(-5) ~max:5)));
  say "%s" (ten (fun () -> string_of_int (Random.int_in_range ~min:min_int ~max:max_int)));
  say "%s" (ten (fun () -> Int32.to_string (Random.int32 1000000l))); say "%s" (ten (fun () -> Int32.to_string (Random.int32_in_range ~min:Int32.min_int ~max:5l)));
  say "%s" (ten (fun () -> Int64.to_string (Random.int64 1_000_000_000_000L))); say "%s" (ten (fun () -> Int64.to_string (Random.int64_in_range ~min:(-1L) ~max:1L)));
  say "%s" (ten (fun () -> Nativeint.to_string (Random.nativeint 99n))); say "%s" (ten (fun () -> Printf.sprintf "%h" (Random.float 1.)));
  say "%s" (ten (fun () -> string_of_bool (Random.bool ()))); say "%s" (ten (fun () -> Int32.to_string (Random.bits32 ()))); say "%s" (ten (fun () -> Int64.to_string (Random.bits64 ()))); say "%s" (ten (fun () -> Nativeint.to_string (Random.nativebits ())));
  let s = Random.State.make [| 5; 6 |] in
  let c = Random.State.copy s in say "%b" (List.init 20 (fun _ -> Random.State.bits s) = List.init 20 (fun _ -> Random.State.bits c));
  let d = Random.State.split s in say "%d %d" (Random.State.bits d) (Random.State.bits s);
  let text = Random.State.to_binary_string s in say "%S" text;
  let r = Random.State.of_binary_string text in say "%b" (Random.State.bits r = Random.State.bits s);
  (match Random.State.of_binary_string "bad" with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e));
  List.iter (fun f -> match f () with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e))
    [(fun () -> Random.int 0); (fun () -> Random.int (1 lsl 30)); (fun () -> Random.full_int 0); (fun () -> Random.int_in_range ~min:1 ~max:0)];
  Random.set_state (Random.State.make [| 9 |]); say "%d" (Random.bits ()); let g = Random.get_state () in let a = Random.bits () in say "%b" (Random.State.bits g = a)
