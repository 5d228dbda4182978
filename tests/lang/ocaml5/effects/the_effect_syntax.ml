(* match ... with effect: OCaml 5.3 has syntax for deep handlers. *)
type _ Effect.t += Ask : string -> int Effect.t | Tell : int -> unit Effect.t
exception Bad of int
let run f =
  let told = ref [] in
  match f () with
  | n -> Printf.sprintf "%d told %s" n (String.concat "," (List.rev_map string_of_int !told))
  | exception Bad n -> Printf.sprintf "bad %d" n
  | effect Ask s, k -> Effect.Deep.continue k (String.length s)
  | effect (Tell n), k when n >= 0 -> told := n :: !told; Effect.Deep.continue k ()
  | effect (Tell n), k -> Effect.Deep.discontinue k (Bad n)
let () =
  print_endline (run (fun () -> Effect.perform (Ask "four")));
  print_endline (run (fun () -> Effect.perform (Tell 1); Effect.perform (Tell 2); Effect.perform (Ask "") + 5));
  print_endline (run (fun () -> Effect.perform (Tell (-1)); 0));
  print_endline (run (fun () -> (try Effect.perform (Tell (-1)) with Bad _ -> ()); Effect.perform (Ask "abc")));
  print_endline (try run (fun () -> failwith "other") with Failure s -> s);
  let depth = ref 0 in
  let rec f n = incr depth; try if n = 0 then Effect.perform (Tell 7) else f (n - 1) with
    | effect Ask _, k -> Effect.Deep.continue k 0
    | Exit -> () in
  print_endline (run (fun () -> f 10; 10)); Printf.printf "%d\n" !depth
