(* Promises by effects: results, exceptions, chains, and tasks that wait for themselves. *)
open Effect open Effect.Deep
module Async = struct
  type 'a state = Waiting of ('a, unit) continuation list | Done of 'a | Failed of exn
  type 'a promise = 'a state ref
  type _ Effect.t += Async : (unit -> 'a) -> 'a promise t | Await : 'a promise -> 'a t
  let async f = perform (Async f) and await p = perform (Await p)
  let run main =
    let q = Queue.create () in
    let next () = match Queue.take_opt q with Some f -> f () | None -> () in
    let rec fork : 'a. 'a promise -> (unit -> 'a) -> unit = fun pr f ->
      match f () with
      | v -> (match !pr with Waiting l -> List.iter (fun k -> Queue.add (fun () -> continue k v) q) (List.rev l) | _ -> assert false);
      pr := Done v; next ()
      | exception e -> (match !pr with Waiting l -> List.iter (fun k -> Queue.add (fun () -> discontinue k e) q) (List.rev l) | _ -> assert false);
      pr := Failed e; next ()
      | effect Async f, k -> let p = ref (Waiting []) in Queue.add (fun () -> continue k p) q; fork p f
      | effect Await p, k -> (match !p with Done v -> continue k v | Failed e -> discontinue k e | Waiting l -> p := Waiting (k :: l); next ())
    in let pr = ref (Waiting []) in fork pr main;
    match !pr with Done v -> v | Failed e -> raise e | Waiting _ -> failwith "deadlock"
end
open Async
let rec fib n = if n < 2 then n else let a = async (fun () -> fib (n - 1)) in
  let b = async (fun () -> fib (n - 2)) in await a + await b
let () = Printf.printf "%d\n" (run (fun () -> fib 15))
let () = Printf.printf "%s\n" (run (fun () -> let p = async (fun () -> failwith "boom") in let q = async (fun () -> try await p with Failure m -> m ^ "!") in await q))
let () = match run (fun () -> let r = ref None in let p = async (fun () -> match !r with Some p -> await p | None -> 0) in r := Some p; let q = async (fun () -> await p + 1) in await q) with n -> Printf.printf "%d\n" n | exception Failure m -> print_endline m
let () = match run (fun () -> let r : int promise option ref = ref None in let p = async (fun () -> ignore (await (async (fun () -> 1))); match !r with Some p -> await p | None -> 0) in r := Some p; await p) with n -> Printf.printf "%d\n" n | exception Failure m -> print_endline m
