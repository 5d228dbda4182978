(* Nested to the right there is no limit; nested to the left OCaml gives up with Out_of_memory. *)
(* stress: no: it builds ten million blocks; deep_and_cyclic_structures builds fewer *)
type t = E | N of t * int | One of t
let rec left n t = if n = 0 then t else left (n - 1) (N (t, n))
let rec one n t = if n = 0 then t else one (n - 1) (One t)

let () =
  List.iter
    (fun n ->
      let a = left n E and b = left n E in
      match a = b with
      | r -> Printf.printf "%d: %b\n" n r
      | exception e -> Printf.printf "%d: %s\n" n (Printexc.to_string e))
    [ 10; 100; 1000; 30000; 262143; 262144; 262145; 500000; 524280; 524286; 524287; 524288; 600000 ];
  Printf.printf "%b\n" (one 1000000 E = one 1000000 E);
  Printf.printf "%d\n" (compare (one 1000000 E) (one 1000001 E))
