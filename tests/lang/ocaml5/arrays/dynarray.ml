let say fmt = Printf.printf (fmt ^^ "\n")
open Dynarray
let ints a = String.concat " " (List.map string_of_int (to_list a))
let show f = match f () with s -> say "%s" s | exception e -> say "%s" (Printexc.to_string e)
let () =
  let a = create () in
  for i = 1 to 20 do add_last a (i * i) done; say "%d %s" (length a) (ints a);
  say "%d %d %d" (pop_last a) (get_last a) (length a); remove_last a; truncate a 5; say "%s" (ints a);
  append_list a [1; 2]; append_array a [| 3 |]; append_seq a (List.to_seq [4; 5]); append a (of_list [6]); say "%s" (ints a);
  say "%d %s" (fold_left ( + ) 0 a) (ints (map succ a)); say "%s" (ints (filter (fun x -> x land 1 = 1) a)); say "%s" (ints (filter_map (fun x -> if x > 3 then Some (-x) else None) a));
  set a 0 100; say "%d %b %b" (get a 0) (exists (( = ) 100) a) (for_all (( < ) 0) a);
  show (fun () -> string_of_int (get a 1000)); show (fun () -> string_of_int (get a (-1))); show (fun () -> set a 1000 1; "?"); show (fun () -> truncate a (-1); "?");
  let e : int t = create () in show (fun () -> string_of_int (pop_last e)); show (fun () -> string_of_int (get_last e)); show (fun () -> match pop_last_opt e with None -> "none" | Some _ -> "?");
  show (fun () -> iter (fun x -> if x = 2 then add_last a 7) a; "?");
  let f = init 5 float in add_last f 0.5; say "%g" (fold_left ( +. ) 0. f);
  ensure_capacity a 1000; say "%b" (capacity a >= 1000); fit_capacity a; say "%d %d" (capacity a) (length a); reset a; say "%d %b" (length a) (is_empty a);
  let strings = init 1000 string_of_int in Gc.full_major (); for i = 0 to 999 do set strings i (get strings i ^ "!") done; Gc.minor (); say "%s %d" (get strings 999) (fold_left (fun n s -> n + String.length s) 0 strings);
  say "%s" (String.concat "," (List.of_seq (Seq.take 3 (to_seq strings)))); say "%d" (length (copy strings)); blit ~src:strings ~src_pos:0 ~dst:strings ~dst_pos:995 ~len:10; say "%d %s" (length strings) (get strings 1004);
  say "%b %d" (equal Int.equal (of_list [1; 2]) (of_list [1; 2])) (compare Int.compare (of_list [1; 2]) (of_list [1; 3]))
