(* Deep recursion under a handler, guards, discontinuing, and exceptions of each case of a handler. *)
open Effect open Effect.Deep
type _ Effect.t += T : int -> int t
let rec down n = if n = 0 then perform (T 0) else 1 + down (n - 1)
let () = List.iter (fun n -> Printf.printf "%d\n" (try down n with effect T _, k -> continue k 7)) [ 0; 1; 100; 10_000; 200_000 ]
let rec nest n f = if n = 0 then f () else nest (n - 1) (fun () -> try f () with effect T x, k when x = n -> continue k (x * 2))
let () = Printf.printf "%d\n" (nest 200 (fun () -> let s = ref 0 in for i = 1 to 200 do s := !s + perform (T i) done; !s))
let tr = Printf.printf
let () =
  let f () = try try ignore (perform (T 1)); tr "a\n" with Not_found -> tr "b\n";
  raise Exit with Exit -> tr "c\n"; ignore (perform (T 2)); tr "d\n" in
  (match f () with () -> tr "end\n" | exception e -> tr "exn %s\n" (Printexc.to_string e)
   | effect T 1, k -> tr "T1\n";
   (match discontinue k Not_found with () -> tr "after T1\n" | exception e -> tr "in h %s\n" (Printexc.to_string e); raise e)
   | effect T n, k -> tr "T%d\n" n; (try continue k n with e -> tr "x\n"); raise (Failure "from handler"))
let () = try (match ignore (perform (T 5)) with () -> () | effect T n, k -> ignore (continue k n); failwith "h") with Failure m -> tr "%s\n" m
let () = (* exception in value case *)
  try (match perform (T 1) with v -> failwith ("v" ^ string_of_int v) | exception Failure m -> tr "caught by own exnc?\n" | effect T n, k -> continue k n) with Failure m -> tr "outside %s\n" m
let () = for i = 1 to 3 do try match perform (T i) with _ -> () | effect T 2, _ -> raise Exit | effect T n, k -> (match continue k n with () -> tr "ok %d\n" n) with Exit -> tr "exit\n" done
let () = let r = ref 0 in (try while true do ignore (try perform (T 3) with effect T n, k -> incr r; if !r = 5 then raise Exit else continue k n) done with Exit -> ());
  tr "%d\n" !r
