(* caml_lxm_next on states of the program's own. *)
open Bigarray
external next : (int64, int64_elt, c_layout) Array1.t -> int64 = "caml_lxm_next"
external next_unboxed : (int64, int64_elt, c_layout) Array1.t -> int64 = "caml_lxm_next"
let () =
  List.iter (fun l ->
    let s = Array1.of_array Int64 C_layout (Array.of_list l) in
    for _ = 1 to 5 do Printf.printf "%Lx " (next s) done;
    for i = 0 to 3 do Printf.printf "%s%Lx" (if i = 0 then "| " else " ") s.{i} done; print_newline ())
    [ [1L; 2L; 3L; 4L]; [0L; 0L; 0L; 0L]; [-1L; -1L; -1L; -1L]; [0x123456789ABCDEFL; Int64.min_int; Int64.max_int; 1L] ];
  let s = Array1.of_array Int64 C_layout [| 5L; 6L; 7L; 8L |] in
  let sum = ref 0L in for _ = 1 to 100_000 do sum := Int64.add !sum (next s) done; Printf.printf "%Lx\n" !sum
