(* Extensible effects: same names in several modules, arguments of many types, local ones. *)
open Effect.Deep
module A = struct type _ Effect.t += Get : int Effect.t end
module B = struct type _ Effect.t += Get : int Effect.t end
module Make (X : sig val n : int end) = struct type _ Effect.t += Get : int Effect.t  let value = X.n end
module C = Make (struct let n = 30 end)
module D = Make (struct let n = 40 end)
type _ Effect.t += Poly : 'a list -> 'a option Effect.t | Rec : { name : string; mutable hits : int } -> int Effect.t
  | Fun : (int -> int) * int -> int Effect.t | Exn : exn -> 'a Effect.t
let run f = match_with f () { retc = Fun.id; exnc = Printexc.to_string; effc = (fun (type a) (e : a Effect.t) ->
  let k_int n = Some (fun (k : (a, string) continuation) -> continue k n) in
  match e with
  | A.Get -> k_int 10 | B.Get -> k_int 20 | C.Get -> k_int C.value | D.Get -> k_int D.value
  | Poly [] -> Some (fun (k : (a, string) continuation) -> continue k None)
  | Poly (x :: _) -> Some (fun (k : (a, string) continuation) -> continue k (Some x))
  | Rec r -> r.hits <- r.hits + 1; k_int (r.hits + String.length r.name)
  | Fun (f, n) -> Some (fun (k : (a, string) continuation) -> continue k (f n))
  | Exn x -> Some (fun (k : (a, string) continuation) -> discontinue k x)
  | _ -> None) }
let p = Effect.perform
let () =
  List.iter (fun f -> print_endline (run f))
    [ (fun () -> String.concat " " (List.map string_of_int [p A.Get; p B.Get; p C.Get; p D.Get; p A.Get]));
      (fun () -> match p (Poly [1; 2]), p (Poly ["a"]), p (Poly ([] : float list)) with
        | Some n, Some s, None -> string_of_int n ^ s | _ -> "?");
      (fun () -> let r = Rec { name = "abc"; hits = 0 } in string_of_int (p r + p r + p r));
      (fun () -> string_of_int (p (Fun ((fun n -> n * n), 12))));
      (fun () -> p (Exn (Failure "as asked")));
      (fun () -> try p (Exn Not_found) with Not_found -> "found that");
      (fun () -> let module L = struct type _ Effect.t += Local : string Effect.t end in
        match_with (fun () -> p L.Local ^ string_of_int (p B.Get)) () { retc = Fun.id; exnc = raise;
          effc = (fun (type b) (e : b Effect.t) -> match e with L.Local -> Some (fun (k : (b, string) continuation) -> continue k "local ") | _ -> None) }) ]
