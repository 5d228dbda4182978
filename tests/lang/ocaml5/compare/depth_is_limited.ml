(* compare goes to a depth of 524288, one more than in OCaml 4. *)
let most = 600000
let nested () =
  let value = ref (Obj.repr 0) in
  for i = 1 to most do value := Obj.repr (!value, i) done;
  !value
(* a, made by nested, without its outermost pairs: n pairs deep *)
let inner a n =
  let value = ref a in
  for _ = n + 1 to most do value := Obj.field !value 0 done;
  !value
let () =
  let a = nested () and b = nested () in
  List.iter (fun n ->
      match compare (inner a n) (inner b n) with
      | order -> Printf.printf "%d: %d\n" n order
      | exception Out_of_memory -> Printf.printf "%d: Out of memory\n" n)
    [ 1000; 524287; 524288; 524289; most ]
