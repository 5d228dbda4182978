(* flags: -g *)
(* A state handler around a scheduler and inside it; exceptions of tasks, effects that nobody handles. *)
open Effect
open Effect.Deep
type _ Effect.t += Get : int t | Put : int -> unit Effect.t | Fork : (unit -> unit) -> unit t | Yield : unit t | Exn : exn -> 'a t
let state (type a) (init : int) (f : unit -> a) : int * a =
  (match_with f () {
    retc = (fun x -> fun s -> (s, x));
    exnc = raise;
    effc = (fun (type b) (e : b Effect.t) : ((b, int -> int * a) continuation -> int -> int * a) option -> match e with
      | Get -> Some (fun (k : (b, int -> int * a) continuation) -> fun s -> continue k s s)
      | Put s' -> Some (fun (k : (b, int -> int * a) continuation) -> fun _ -> continue k () s')
      | _ -> None) }) init
let () =
  let s, x = state 10 (fun () -> let a = perform Get in perform (Put (a * 2)); let b = perform Get in perform (Put (b + 1)); a + b) in
  Printf.printf "%d %d\n" s x
let run main =
  let q = Queue.create () in
  let enqueue k = Queue.push k q in
  let dequeue () = if Queue.is_empty q then () else (Queue.pop q) () in
  let rec spawn f =
    match_with f () { retc = (fun () -> dequeue ());
      exnc = (fun e -> Printf.printf "died: %s\n" (Printexc.to_string e); dequeue ());
      effc = fun (type b) (e : b t) -> match e with
        | Yield -> Some (fun (k : (b, _) continuation) -> enqueue (fun () -> continue k ()); dequeue ())
        | Fork f -> Some (fun (k : (b, _) continuation) -> enqueue (fun () -> continue k ()); spawn f)
        | Exn e -> Some (fun (k : (b, _) continuation) -> discontinue k e)
        | _ -> None } in
  spawn main
let () =
  run (fun () ->
    for i = 1 to 3 do
      perform (Fork (fun () ->
        for j = 1 to 3 do Printf.printf "%d.%d\n" i j; perform Yield;
        if i = 2 && j = 2 then perform (Exn (Failure "two")) done))
    done; print_endline "main done")
let () =
  (* state over scheduler *)
  let s, () = state 0 (fun () -> run (fun () ->
    for i = 1 to 4 do perform (Fork (fun () -> for _ = 1 to i do perform (Put (perform Get + i)); perform Yield done)) done)) in
  Printf.printf "total %d\n" s
let () = match run (fun () -> perform (Exn Exit)) with () -> print_endline "ended" | exception e -> print_endline (Printexc.to_string e)
let () = match perform Get with _ -> () | exception (Effect.Unhandled e) -> Printf.printf "unhandled %b\n" (match e with Get -> true | _ -> false)
