let p a = print_endline (String.concat ";" (Array.to_list (Array.map string_of_int a)))
let attempt f = try f () with
  | Invalid_argument s -> print_endline ("Invalid_argument " ^ s)
  | Not_found -> print_endline "Not_found"

let () =
  let open Array in
  let a = [| 5; 3; 8; 1; 9; 2 |] in
  Printf.printf "%d %d %d\n" (length a) (get a 2) a.(5);
  p (make 3 7); p (init 4 (fun i -> i * 3)); p (append a [| 0 |]); p (concat [ a; [||]; [| 4 |] ]);
  p (sub a 2 3); p (copy a); p (of_list [ 1; 2 ]); p (map succ a); p (mapi ( + ) a);
  p (map2 ( * ) a a); p (of_seq (to_seq a));
  let b = copy a in
  set b 0 100; fill b 3 2 (-1); p b; blit a 0 b 1 4; p b; blit b 0 b 2 4; p b; blit b 2 b 0 4; p b;
  let m = make_matrix 2 3 'x' in
  m.(1).(2) <- 'y';
  iter (fun r -> iter print_char r; print_char '/') m;
  iter (Printf.printf "%d ") a; iteri (Printf.printf "%d:%d ") a; print_newline ();
  iter2 (Printf.printf "%d,%d ") a b;
  Printf.printf "%d %d\n" (fold_left ( - ) 0 a) (fold_right ( - ) a 0);
  let acc, d = fold_left_map (fun s x -> (s + x, s)) 0 a in Printf.printf "%d " acc; p d;
  Printf.printf "%b %b %b %b\n" (for_all (( < ) 0) a) (exists (( = ) 9) a) (for_all2 ( = ) a a)
    (exists2 ( <> ) a a);
  Printf.printf "%b %b %b %b\n" (mem 8 a) (memq 77 a) (find_opt (( < ) 8) a = Some 9)
    (find_map (fun x -> if x = 1 then Some "one" else None) a = Some "one");
  let x, y = split (combine a b) in p x; p y;
  let s = copy a in sort compare s; p s; stable_sort (fun x y -> compare y x) s; p s;
  fast_sort compare s; p s;
  Seq.iter (fun (i, x) -> Printf.printf "%d=%d " i x) (to_seqi a);
  print_newline ();
  let e = make 0 1 in p e; p (append e e); p (sub a 6 0); p (concat []);
  List.iter attempt
    [ (fun () -> ignore (get a 6)); (fun () -> set a (-1) 0); (fun () -> ignore (make (-1) 0));
      (fun () -> ignore (sub a 3 9)); (fun () -> fill a 3 9 0); (fun () -> blit a 0 b 3 4);
      (fun () -> ignore (init (-1) succ)); (fun () -> iter2 (fun _ _ -> ()) a [||]);
      (fun () -> ignore (map2 ( + ) a [||])); (fun () -> ignore (combine a [||]));
      (fun () -> ignore (make max_int 0)); (fun () -> ignore (make_matrix (-1) 2 0));
      (fun () -> ignore (make (Sys.max_array_length + 1) 0));
          (fun () -> ignore (create_float (-1)));
      (fun () -> ignore (for_all2 ( = ) a [||])) ];
  Printf.printf "%d\n" (length (create_float 5))
