(* compare and hash of what 5.x has new: lazy values, closures, atomics, mutexes' kind of custom blocks. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)
let block tag l = let b = Obj.new_block tag (List.length l) in List.iteri (fun i x -> Obj.set_field b i x) l; b
let i (n : int) = Obj.repr n
let () =
  List.iter (fun tag ->
      let a = block tag [ i 1; i 2 ] and b = block tag [ i 1; i 3 ] and c = block tag [ i 1 ] in
      attempt (Printf.sprintf "tag %d" tag) (fun () -> Printf.sprintf "%d %d %d %b" (compare a b) (compare b a) (compare a c) (a = a));
      attempt (Printf.sprintf "hash %d" tag) (fun () -> Printf.sprintf "%d %d" (Hashtbl.hash a) (Hashtbl.hash c)))
    [ 0; 1; 100; 243; 244; 246 ];
  let k () = block 245 [ i 0; i 0 ] in
  attempt "continuation" (fun () -> string_of_int (compare (k ()) (k ())));
  attempt "equal continuation" (fun () -> string_of_bool (k () = k ()));
  let same = k () in
  attempt "compare itself" (fun () -> string_of_int (compare same same));
  attempt "equal to itself" (fun () -> string_of_bool (same = same));
  attempt "unlike tags" (fun () -> Printf.sprintf "%d %d" (compare (k ()) (block 0 [ i 1; i 2 ])) (compare (k ()) (block 246 [ i 1; i 2 ])));
  attempt "int" (fun () -> Printf.sprintf "%d" (compare (k ()) (i 3)));
  attempt "inside" (fun () -> string_of_int (compare (1, k ()) (1, k ())));
  attempt "after a difference" (fun () -> string_of_int (compare (1, k ()) (2, k ())));
  attempt "hash" (fun () -> Printf.sprintf "%d %d %d" (Hashtbl.hash (k ())) (Hashtbl.hash (1, k ())) (Hashtbl.hash [ k () ]));
  attempt "tag, size" (fun () -> Printf.sprintf "%d %d" (Obj.tag (k ())) (Obj.size (k ())));
  attempt "reachable" (fun () -> Printf.sprintf "%d %d" (Obj.reachable_words (k ())) (Obj.reachable_words (Obj.repr (k (), k ()))));
  attempt "marshal" (fun () -> Marshal.to_string (k ()) [])

let () =
  attempt "atomics" (fun () -> Printf.sprintf "%d %b %d" (compare (Atomic.make 1) (Atomic.make 2)) (Atomic.make [ 1 ] = Atomic.make [ 1 ]) (Hashtbl.hash (Atomic.make 5)));
  attempt "functions" (fun () -> string_of_int (compare (fun x -> x) (fun y -> y)));
  attempt "abstract" (fun () -> string_of_int (compare (Obj.new_block Obj.abstract_tag 2) (Obj.new_block Obj.abstract_tag 2)));
  attempt "lazies" (fun () -> string_of_int (compare (Lazy.from_val 1.5) (Lazy.from_val 2.5)));
  let deep = List.fold_left (fun acc n -> block 246 [ i n; acc ]) (i 0) (List.init 1000 Fun.id) in
  let deep' = List.fold_left (fun acc n -> block 246 [ i n; acc ]) (i 1) (List.init 1000 Fun.id) in
  attempt "deep lazies" (fun () -> Printf.sprintf "%d %d" (compare deep deep') (compare deep' deep));
  let list tag last = List.fold_left (fun acc n -> block tag [ acc; i n; i 5 ]) (i last) (List.init 1000 Fun.id) in
  attempt "deep to the left" (fun () -> Printf.sprintf "%d %d" (compare (list 244 1) (list 244 2)) (compare (list 246 3) (list 246 3)));
  attempt "mixed" (fun () -> string_of_int (compare (block 246 [ i 1; Obj.repr "a"; list 246 1; i 2 ]) (block 246 [ i 1; Obj.repr "a"; list 246 1; i 1 ])))
