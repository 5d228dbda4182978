(* Tasks that fork, yield, wait for promises and fail. *)
open Effect.Deep
type 'a state = Waiting of ('a, unit) continuation list | Done of 'a | Failed of exn
type 'a promise = 'a state ref
type _ Effect.t += Async : (unit -> 'a) -> 'a promise Effect.t | Yield : unit Effect.t | Await : 'a promise -> 'a Effect.t
let async f = Effect.perform (Async f) and yield () = Effect.perform Yield and await p = Effect.perform (Await p)
let run main =
  let queue = Queue.create () in
  let next () = if not (Queue.is_empty queue) then (Queue.pop queue) () in
  let rec fork : 'a. 'a promise -> (unit -> 'a) -> unit = fun promise f ->
    let finish result wake =
      (match !promise with Waiting l -> List.iter (fun k -> Queue.push (fun () -> wake k) queue) (List.rev l) | _ -> assert false);
      promise := result; next () in
    match_with f ()
      { retc = (fun v -> finish (Done v) (fun k -> continue k v));
        exnc = (fun e -> finish (Failed e) (fun k -> discontinue k e));
        effc = (fun (type b) (e : b Effect.t) -> match e with
          | Async f -> Some (fun (k : (b, unit) continuation) ->
              let p = ref (Waiting []) in
              Queue.push (fun () -> continue k p) queue; fork p f)
          | Yield -> Some (fun (k : (b, unit) continuation) -> Queue.push (fun () -> continue k ()) queue; next ())
          | Await p -> Some (fun (k : (b, unit) continuation) -> match !p with
              | Done v -> continue k v
              | Failed e -> discontinue k e
              | Waiting l -> p := Waiting (k :: l); next ())
          | _ -> None) } in
  fork (ref (Waiting [])) main
let () = run (fun () ->
  let worker name n () =
    for i = 1 to n do Printf.printf "%s%d " name i; yield () done; n * 10 in
  let a = async (worker "a" 3) and b = async (worker "b" 5) in
  let c = async (fun () -> let x = await a in Printf.printf "c-has-%d " x; x + await b) in
  let d = async (fun () -> yield (); failwith "d") in
  let e = async (fun () -> try await d with Failure s -> String.length s) in
  print_string "main ";
  let total = await c in
  Printf.printf "\ntotal %d, e %d\n" total (await e);
  (match await d with _ -> () | exception Failure s -> Printf.printf "again %s\n" s);
  let many = List.init 1000 (fun i -> async (fun () -> for _ = 1 to i mod 7 do yield () done; i)) in
  Printf.printf "sum %d\n" (List.fold_left (fun s p -> s + await p) 0 many))
