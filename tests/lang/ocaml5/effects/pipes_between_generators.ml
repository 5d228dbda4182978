(* Shallow handlers that connect producers, filters and consumers. *)
open Effect.Shallow
type _ Effect.t += Await : int option Effect.t | Yield : int -> unit Effect.t
let rec upstream : type r. (unit, unit) continuation option -> (int option, r) continuation -> r = fun producer consumer ->
  match producer with
  | None -> continue_with consumer None (down None)
  | Some p -> continue_with (fiber (fun () -> let got = ref None in let rest : (unit, unit) continuation option ref = ref None in
      continue_with p () { retc = (fun () -> ()); exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
        | Yield n -> Some (fun (k : (a, unit) continuation) -> got := Some n; rest := Some k) | _ -> None) }; (!got, !rest))) ()
      { retc = (fun (got, rest) -> continue_with consumer got (down rest)); exnc = raise; effc = (fun _ -> None) }
and down : type r. (unit, unit) continuation option -> (r, r) handler = fun producer ->
  { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
    | Await -> Some (fun (k : (a, _) continuation) -> upstream producer k) | _ -> None) }
let run producer consumer = continue_with (fiber consumer) () (down (Some (fiber producer)))
let await () = Effect.perform Await and yield n = Effect.perform (Yield n)
let sum () = let rec go s = match await () with None -> s | Some n -> go (s + n) in go 0
let first n () = List.init n (fun _ -> match await () with Some x -> x | None -> -1)
let () =
  Printf.printf "%d\n" (run (fun () -> for i = 1 to 100 do yield i done) sum);
  Printf.printf "%s\n" (String.concat " " (List.map string_of_int (run (fun () -> let rec from n = yield n; from (n * 2) in from 1) (first 12))));
  Printf.printf "%s\n" (String.concat " " (List.map string_of_int (run (fun () -> yield 1; yield 2) (first 4))));
  (match run (fun () -> yield 1; failwith "producer") sum with n -> Printf.printf "%d\n" n | exception Failure s -> print_endline s);
  (match run (fun () -> yield 1) (fun () -> ignore (await ()); failwith "consumer") with n -> Printf.printf "%d\n" n | exception Failure s -> print_endline s)
