open Effect
open Effect.Shallow

type _ Effect.t += Send : int -> unit t | Receive : int t

let rec run_sender k v =
  continue_with k v { retc = (fun () -> print_endline "sender done"); exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Send i -> Some (fun (k : (a, unit) continuation) ->
          Printf.printf "sent %d\n" i; run_receiver k ())
      | _ -> None }
and run_receiver : type b. (b, unit) continuation -> b -> unit = fun k v ->
  continue_with k v { retc = (fun () -> print_endline "receiver done"); exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Receive -> Some (fun (k : (a, unit) continuation) ->
          print_endline "received"; run_either k 42)
      | Send i -> Some (fun (k : (a, unit) continuation) ->
          Printf.printf "sent by the receiver %d\n" i; run_receiver k ())
      | _ -> None }
and run_either : type b. (b, unit) continuation -> b -> unit = fun k v ->
  continue_with k v { retc = (fun () -> print_endline "done"); exnc = raise; effc = fun _ -> None }

let () =
  run_sender (fiber (fun () ->
    perform (Send 1); perform (Send 2); Printf.printf "got %d\n" (perform Receive))) ();
  (try run_sender (fiber (fun () -> perform (Send 1); ignore (perform Receive); ignore (perform Receive))) ()
   with Unhandled Receive -> print_endline "unhandled: no handler was installed again");
  run_sender (fiber (fun () -> ())) ();
  (try run_sender (fiber (fun () -> failwith "at once")) () with Failure s -> print_endline s)

(* Handlers that change from one effect to the next. *)
let () =
  let rec count : type b. int -> (b, string) continuation -> b -> string = fun n k v -> continue_with k v
    { retc = (fun x -> Printf.sprintf "%s after %d" x n); exnc = Printexc.to_string;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Receive -> Some (fun (k : (a, string) continuation) ->
            if n < 5 then count (n + 1) k n
            else discontinue_with k Exit { retc = (fun _ -> "stopped"); exnc = raise; effc = fun _ -> None })
        | _ -> None } in
  let receive_times n () =
    let s = ref 0 in
    for _ = 1 to n do s := (10 * !s) + perform Receive done;
    string_of_int !s in
  print_endline (count 0 (fiber (fun (_ : int) -> receive_times 4 ())) 0);
  match count 0 (fiber (fun (_ : int) -> receive_times 9 ())) 0 with
  | s -> print_endline s
  | exception Exit -> print_endline "Exit left the fiber"

(* A shallow handler inside a deep one, and the other way round. *)
let () =
  let deep f = Effect.Deep.match_with f () { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Receive -> Some (fun (k : (a, _) Effect.Deep.continuation) -> Effect.Deep.continue k 7)
      | _ -> None } in
  let shallow f = continue_with (fiber f) () { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Receive -> Some (fun (k : (a, _) continuation) ->
          continue_with k 100 { retc = Fun.id; exnc = raise; effc = fun _ -> None })
      | _ -> None } in
  let twice () = let a = perform Receive in let b = perform Receive in a + b in
  Printf.printf "%d %d %d\n" (deep (fun () -> shallow twice)) (shallow (fun () -> deep twice))
    (deep (fun () -> deep (fun () -> shallow twice)))
