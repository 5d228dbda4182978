(* try_with: results pass, exceptions pass, effects are offered. *)
open Effect.Deep
type _ Effect.t += Default : 'a -> 'a Effect.t | Log : string -> unit Effect.t
let log = Buffer.create 100
let offered = { effc = (fun (type a) (e : a Effect.t) -> match e with
  | Default v -> Some (fun (k : (a, _) continuation) -> continue k v)
  | Log s -> Some (fun (k : (a, _) continuation) -> Buffer.add_string log s; Buffer.add_char log ';'; continue k ())
  | _ -> None) }
let show to_string f = print_endline (match try_with f () offered with s -> to_string s | exception e -> Printexc.to_string e)
let () =
  show string_of_int (fun () -> Effect.perform (Default 3));
  show Fun.id (fun () -> Effect.perform (Default "text"));
  show string_of_float (fun () -> Effect.perform (Default 1.5));
  show (fun l -> String.concat " " (List.map string_of_int l)) (fun () -> List.map (fun n -> Effect.perform (Default (n * n))) [1; 2; 3]);
  show (fun a -> string_of_float (Array.fold_left ( +. ) 0. a)) (fun () -> Array.init 5 (fun i -> Effect.perform (Default (float_of_int i))));
  show Fun.id (fun () -> Effect.perform (Log "a"); Effect.perform (Log "b"); failwith "after two");
  show Fun.id (fun () -> Seq.iter (fun s -> Effect.perform (Log s)) (List.to_seq ["c"; "d"]); "iterated");
  show Int64.to_string (fun () -> Int64.add 1L (Effect.perform (Default 41L)));
  print_endline (Buffer.contents log)
