let cmp (a : int) b = compare a b
let p l = print_endline (String.concat ";" (List.map string_of_int l))
let attempt f = try f () with
  | Invalid_argument s -> print_endline ("Invalid_argument " ^ s)
  | Failure s -> print_endline ("Failure " ^ s)
  | Not_found -> print_endline "Not_found"

let () =
  let open List in
  let l = [ 5; 3; 8; 1; 9; 2 ] in
  Printf.printf "%d %d %d %d\n" (length l) (hd l) (nth l 3) (compare_lengths l [ 1 ]);
  p (tl l); p (rev l); p (append l l); p (rev_append l [ 0 ]); p (concat [ l; []; l ]);
      p (cons 0 l);
  p (flatten [ [ 1 ]; [ 2; 3 ] ]); p (init 5 (fun i -> i * i)); p (init 0 (fun i -> i));
  iter (Printf.printf "%d ") l; iteri (Printf.printf "%d:%d ") l; print_newline ();
  p (map succ l); p (mapi ( * ) l); p (rev_map succ l);
      p (filter_map (fun x -> if x > 4 then Some (-x)
                                                                       else None) l);
  p (concat_map (fun x -> [ x; x ]) l); p (filteri (fun i _ -> i mod 2 = 0) l);
  let acc, m = fold_left_map (fun a x -> (a + x, a * x)) 0 l in
  Printf.printf "%d " acc; p m;
  Printf.printf "%d %d\n" (fold_left ( - ) 0 l) (fold_right ( - ) l 0);
  iter2 (Printf.printf "%d,%d ") l (rev l); p (map2 ( + ) l l); p (rev_map2 ( * ) l l);
  Printf.printf "%d %d\n" (fold_left2 (fun a x y -> a + (x * y)) 0 l l)
    (fold_right2 (fun x y a -> a + (x * y)) l l 0);
  Printf.printf "%b %b %b %b\n" (for_all (fun x -> x > 0) l) (exists (fun x -> x > 8) l)
    (for_all2 ( = ) l l) (exists2 ( < ) l l);
  Printf.printf "%b %b %b\n" (mem 8 l) (memq 7 l) (mem 0 l);
  Printf.printf "%d %b\n" (find (fun x -> x > 5) l) (find_opt (fun x -> x > 50) l = None);
  Printf.printf "%b\n" (find_map (fun x -> if x > 8 then Some (x * 2) else None) l = Some 18);
  p (filter (fun x -> x land 1 = 1) l); p (find_all (fun x -> x < 4) l);
  let a, b = partition (fun x -> x > 4) l in p a; p b;
  let a, b = partition_map (fun x -> if x > 4 then Either.Left x else Either.Right (-x)) l in p
      a; p b;
  let al = [ (1, "one"); (2, "two"); (1, "uno") ] in
  Printf.printf "%s %b %b %s\n" (assoc 1 al) (assoc_opt 3 al = None) (mem_assoc 2 al) (assq 2 al);
  Printf.printf "%d %d %b\n" (length (remove_assoc 1 al)) (length (remove_assq 9 al)) (mem_assq 9
      al);
  let a, b = split (combine l (rev l)) in p a; p b;
  p (sort cmp l); p (stable_sort (fun x y -> cmp (x / 3) (y / 3)) l); p (fast_sort cmp l);
  p (sort_uniq cmp (l @ l)); p (merge cmp [ 1; 4; 7 ] [ 2; 3; 9 ]);
  p (of_seq (Seq.map succ (to_seq l)));
  Printf.printf "%b %d %d\n" (equal ( = ) l l) (compare Stdlib.compare l (tl l))
    (compare_length_with l 6);
  attempt (fun () -> ignore (hd [])); attempt (fun () -> ignore (tl []));
      attempt (fun () -> ignore (nth l 9));
  attempt (fun () -> ignore (nth l (-1))); attempt (fun () -> ignore (combine l [ 1 ]));
  attempt (fun () -> iter2 (fun _ _ -> ()) l [ 1 ]); attempt (fun () -> ignore (find (( = ) 0) l));
  attempt (fun () -> ignore (init (-1) succ)); attempt (fun () -> ignore (assoc 9 al));
  attempt (fun () -> ignore (map2 ( + ) l [])); attempt (fun () -> ignore (for_all2 ( = ) [] l));
  Printf.printf "%b\n" (nth_opt l 77 = None)
