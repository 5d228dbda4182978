let say fmt = Printf.printf (fmt ^^ "\n")
let ints l = String.concat " " (List.map string_of_int l)
let arr a = ints (Array.to_list a)
let opt = function Some n -> string_of_int n | None -> "none"
let () =
  say "%s %s" (opt (List.find_index (( = ) 3) [1; 2; 3])) (opt (List.find_mapi (fun i x -> if i = x then Some (x * 10) else None) [3; 1; 5]));
  say "%s" (ints (List.take 2 [1; 2; 3])); say "%s" (ints (List.drop 2 [1; 2; 3])); say "%s" (ints (List.take_while (( > ) 3) [1; 2; 3; 1])); say "%s" (ints (List.drop_while (( > ) 3) [1; 2; 3; 1]));
  say "%b %d %s" (List.is_empty []) (List.compare_length_with [1; 2] 1) (ints (List.concat_map (fun x -> [x; x]) [1; 2])); say "%s" (ints (List.init 5 succ));
  say "%s" (ints (List.map succ (List.init 300_000 Fun.id) |> List.filteri (fun i _ -> i mod 100_000 = 0))); say "%d" (List.length (List.append (List.init 300_000 Fun.id) [1])); say "%d" (List.length (List.concat (List.init 1000 (fun i -> List.init 300 Fun.id))));
  let a = [| 5; 3; 9; 1 |] in Array.map_inplace succ a; say "%s" (arr a); Array.mapi_inplace ( + ) a; say "%s" (arr a); say "%s %s" (opt (Array.find_index (( = ) 5) a)) (opt (Array.find_opt (( < ) 5) a));
  say "%s" (arr (Array.init_matrix 2 2 (fun i j -> i + j)).(1)); let x, y = Array.split [| (1, 'a'); (2, 'b') |] in say "%s %s" (arr x) (String.of_seq (Array.to_seq y)); say "%b" (Array.mem 5 a); Array.shuffle ~rand:(fun n -> n - 1) a; say "%s" (arr a);
  say "%s" (arr (fst (Array.fold_left_map (fun s x -> (s + x, s)) 0 [| 1; 2; 3 |] |> fun (s, a) -> (a, s)))); say "%b" (Array.for_all2 ( = ) [| 1 |] [| 1 |]);
  say "%b %b %d" (String.starts_with ~prefix:"ab" "abc") (String.ends_with ~suffix:"bc" "abc") (String.fold_left (fun n c -> n + Char.code c) 0 "abc"); say "%b %d" (String.exists (( = ) 'x') "axb") (String.hash "abc"); say "%s" (String.cat "a" "b");
  say "%d %d" (String.seeded_hash 5 "abc") (Hashtbl.seeded_hash 5 "abc"); say "%b" (String.for_all (( <> ) 'z') "abc"); say "%s" (String.of_bytes (Bytes.cat (Bytes.of_string "x") (Bytes.of_string "y")));
  say "%d %b" (Uchar.utf_decode_length (String.get_utf_8_uchar "\xc3\xa9" 0)) (String.is_valid_utf_8 "\xff"); say "%d" (Uchar.utf_8_byte_length (Uchar.of_int 0x20ac)); let b = Bytes.create 4 in say "%d %S" (Bytes.set_utf_8_uchar b 0 (Uchar.of_int 0x20ac)) (Bytes.sub_string b 0 3);
  say "%b %b" (Option.is_some (Int.max 1 2 |> Option.some)) (In_channel.isatty stdin); say "%d %d %d" (Int.min 3 4) (Int.shift_right (-8) 1) (Int32.to_int (Int32.max 4l 5l)); say "%s" (Float.to_string (Float.fma 2. 3. 4.)); say "%b" (Float.is_integer 3.);
  say "%s" (match Type.Id.(let t = make () in provably_equal t t) with Some Type.Equal -> "equal" | None -> "not"); say "%s" (match Type.Id.(let t : int t = make () in let u : int t = make () in provably_equal t u) with Some Type.Equal -> "equal" | None -> "not");
  say "%s" (Result.fold ~ok:string_of_int ~error:Fun.id (Ok 3)); say "%d" (Hashtbl.length (Hashtbl.of_seq (Seq.zip (Seq.ints 0 |> Seq.take 3) (String.to_seq "abc")))); say "%s" (Filename.quote_command "ls" ["a b"]); say "%b" (Sys.backend_type = Bytecode);
  let q = Queue.of_seq (Seq.take 3 (Seq.ints 5)) in say "%s" (opt (Queue.take_opt q)); Queue.drop q; say "%d" (Queue.length q); let s = Stack.create () in Stack.push 1 s; Stack.drop s; say "%b" (Stack.is_empty s);
  let module M = Map.Make (Int) in let m = M.of_list [(1, "a"); (2, "b")] in say "%s" (String.concat "" (List.map snd (M.to_list (M.add_to_list 3 "c" (M.map (fun s -> [s]) m) |> M.map (String.concat "+"))))); let module S = Set.Make (Int) in say "%s" (match S.to_list (S.map (fun x -> x / 2) (S.of_list [1; 2; 3])) with l -> ints l)
