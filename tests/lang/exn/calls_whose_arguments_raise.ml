(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
(* The machine of OCaml pushes a return address before it computes the arguments of a call with more
   than three: such addresses show up in backtraces. *)
let five a b c d e = a + b + c + d + e
let boom x = if x > 0 then failwith "boom" else x

let nested x =
  1 + five 1 (2 + five 1 2 (boom x) 4 5) 3 4 5

let stack x =
  1 + five 1 2 (let s = Printexc.get_callstack 20 in print_string (Printexc.raw_backtrace_to_string s); x) 4 5

let in_handler x =
  1 + five 1 2 (try boom x with Not_found -> 3) 4 5

let show f x =
  match f x with
  | n -> Printf.printf "%d\n" n
  | exception e ->
    print_endline (Printexc.to_string e);
    Printexc.print_backtrace stdout

let () =
  show nested 1;
  show nested 0;
  show stack 1;
  show in_handler 1;
  show (fun x -> five x x x x (boom x)) 1;
  show (fun x -> raise (Failure (string_of_int (five 1 2 3 4 (boom (x - 1)))))) 1;
  Printf.printf "%d %d %d %d %s\n" 1 2 3 4 (string_of_int (five 1 2 3 4 (boom 1)))
