(* Arguments after those of match_with are applied to what the handler returns. *)
open Effect.Deep
type _ Effect.t += Ask : int Effect.t | Fn : (int -> int -> int) Effect.t
let h = { retc = Fun.id; exnc = (fun _ -> fun a b -> a * b); effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask -> Some (fun (k : (a, int -> int -> int) continuation) -> continue k 10)
  | Fn -> Some (fun (k : (a, int -> int -> int) continuation) -> fun a b -> continue k (fun x y -> (x - y)) (a * 2) b)
  | _ -> None) }
let apply f = match_with f () h 7 3
let () =
  List.iter (fun f -> Printf.printf "%s\n" (match f () with n -> string_of_int n | exception e -> Printexc.to_string e))
    [ (fun () -> apply (fun () -> fun a b -> a + b));
      (fun () -> apply (fun () -> let n = Effect.perform Ask in fun a b -> n + a - b));
      (fun () -> apply (fun () -> raise Exit));
      (fun () -> apply (fun () -> Effect.perform Fn));
      (fun () -> match_with (fun f -> f) (fun a -> Printf.printf "a=%d " a; fun b -> a - b) h 5 6);
      (fun () -> match_with (fun x y z -> x + y + z) 100 { retc = Fun.id; exnc = raise; effc = (fun _ -> None) } 20 3);
      (fun () -> match_with (fun () -> fun a -> let n = Effect.perform Ask in fun b -> n + a + b) () h 1 2) ];
  let five a b c d e = a + (2 * b) + (3 * c) + (4 * d) + (5 * e) in
  for i = 1 to 4 do
    Printf.printf "%d\n" (match_with (fun x -> five x) i { retc = Fun.id; exnc = raise; effc = (fun _ -> None) } 2 3 4 5);
    Printf.printf "%d\n" (match_with (five 1 2) 3 { retc = Fun.id; exnc = raise; effc = (fun _ -> None) } 4 i)
  done
