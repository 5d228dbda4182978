(* libs: unix.cma *)
(* A forked child goes on with functions that ran often before, and with others that begin to. *)

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let rec sum l = match l with [] -> 0 | x :: rest -> x + sum rest
let scale k x = float_of_int k *. x
let table n = List.init n (fun i -> scale i 0.5)
let rec count n = if n = 0 then 0 else 1 + count (n - 1)

let in_child what f =
  flush stdout;
  match Unix.fork () with
  | 0 -> Printf.printf "%s: %s\n" what (f ()); exit 0
  | pid -> match Unix.waitpid [] pid with
    | _, Unix.WEXITED 0 -> ()
    | _ -> print_endline "the child failed"

let () =
  Printf.printf "%d\n" (fib 15);
  in_child "compiled before" (fun () -> string_of_int (fib 16));
  in_child "compiled by none" (fun () -> string_of_int (sum (List.init 1000 succ)));
  Printf.printf "%d\n" (sum (List.init 2000 succ));
  in_child "a child's child" (fun () ->
    let n = sum (List.init 3000 succ) in
    in_child "below" (fun () ->
      Printf.sprintf "%d %g" (count 4000) (List.fold_left (+.) 0. (table 1000)));
    string_of_int (count n));
  Printf.printf "%d %g\n" (count 3000) (List.fold_left (+.) 0. (table 500))
