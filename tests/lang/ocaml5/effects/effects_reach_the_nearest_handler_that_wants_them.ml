(* Deep handlers: results, order of evaluation, nests, effects performed by handlers. *)
open Effect
open Effect.Deep

type _ Effect.t += Get : int t | Put : int -> unit t | Log : string -> unit t | Choose : bool t

let with_state (type r) (init : int) (f : unit -> r) : r =
  match_with f () { retc = (fun x _ -> x); exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Get -> Some (fun (k : (a, int -> r) continuation) (s : int) -> continue k s s)
      | Put n -> Some (fun (k : (a, int -> r) continuation) (_ : int) -> continue k () n)
      | _ -> None } init

let with_log f =
  let lines = ref [] in
  let r = match_with f () { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Log s -> Some (fun (k : (a, _) continuation) -> lines := s :: !lines; continue k ())
      | _ -> None } in
  List.rev !lines, r

let count n =
  for i = 1 to n do
    perform (Log (Printf.sprintf "step %d at %d" i (perform Get)));
    perform (Put (perform Get * 2 + i))
  done;
  perform Get

let () =
  let lines, r = with_log (fun () -> with_state 1 (fun () -> count 4)) in
  List.iter print_endline lines;
  Printf.printf "state inside log: %d\n" r;
  let lines, r = with_state 5 (fun () -> with_log (fun () -> count 3)) in
  List.iter print_endline lines;
  Printf.printf "log inside state: %d\n" r

(* What a handler performs goes to the handlers outside its own. *)
let () =
  let doubled f =
    match_with f () { retc = Fun.id; exnc = raise;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Get -> Some (fun (k : (a, _) continuation) -> continue k (2 * perform Get))
        | _ -> None } in
  Printf.printf "doubled twice: %d\n"
    (with_state 3 (fun () -> doubled (fun () -> doubled (fun () -> perform Get + 1))))

(* A handler may not resume, resume later, or work after the resumption. *)
let () =
  let trace f =
    match_with f () { retc = (fun x -> [ "value " ^ x ]); exnc = (fun e -> [ Printexc.to_string e ]);
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Log s -> Some (fun (k : (a, string list) continuation) ->
            let rest = continue k () in
            s :: rest)
        | Choose -> Some (fun _ -> [ "given up" ])
        | _ -> None } in
  let show name l = Printf.printf "%s: %s\n" name (String.concat ", " l) in
  show "all" (trace (fun () -> perform (Log "a"); perform (Log "b"); "done"));
  show "some" (trace (fun () -> perform (Log "a"); if perform Choose then "yes" else "no"));
  show "raised" (trace (fun () -> perform (Log "a"); failwith "inside"))

(* Effects with no argument to wait for: the handler's result is a function. *)
let () =
  let reader f =
    match_with f () { retc = (fun x _ -> x); exnc = raise;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Get -> Some (fun (k : (a, int -> int) continuation) (n : int) -> continue k n (n + 1))
        | _ -> None } in
  Printf.printf "reader: %d\n" (reader (fun () -> let a = perform Get in let b = perform Get in (10 * a) + b) 1)
