(* compare goes to a depth of 524288, one more than in OCaml 4. *)
let nested n = List.fold_left (fun inner i -> Obj.repr (inner, i)) (Obj.repr 0) (List.init n Fun.id)
let () =
  List.iter (fun n ->
      let a = nested n and b = nested n in
      match compare a b with
      | order -> Printf.printf "%d: %d\n" n order
      | exception Out_of_memory -> Printf.printf "%d: Out of memory\n" n)
    [ 1000; 524287; 524288; 524289; 600000 ]
