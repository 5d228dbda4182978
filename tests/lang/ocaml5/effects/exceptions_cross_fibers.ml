open Effect
open Effect.Deep

type _ Effect.t += Yield : int -> int t
exception Stop of int

let show name f =
  match f () with
  | n -> Printf.printf "%s: %d\n" name n
  | exception e -> Printf.printf "%s raised %s\n" name (Printexc.to_string e)

let handle ?(retc = Fun.id) ?(exnc = raise) answer f =
  match_with f () { retc; exnc;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Yield i -> Some (fun (k : (a, int) continuation) -> answer i (k : (int, int) continuation))
      | _ -> None }

let plus_one i k = continue k (i + 1)
let stop i k = discontinue k (Stop i)

(* Handlers at every third frame of a recursion, which effects suspend at its bottom. *)
let rec deep n =
  if n = 0 then perform (Yield 0)
  else if n mod 3 = 0 then (try 1 + deep (n - 1) with Stop i when i mod 7 = n mod 7 -> i * 1000 + n)
  else 1 + deep (n - 1)

let () =
  show "inside" (fun () -> handle plus_one (fun () -> try raise (Stop 1) with Stop i -> i));
  show "leaves the fiber" (fun () -> handle plus_one (fun () -> raise (Stop 2)));
  show "exnc" (fun () -> handle ~exnc:(function Stop i -> i + 50 | e -> raise e) plus_one
    (fun () -> ignore (perform (Yield 1)); raise (Stop 3)));
  show "discontinued" (fun () -> handle stop (fun () -> try perform (Yield 4) with Stop i -> i * 2));
  show "discontinued, not caught" (fun () -> handle stop (fun () -> perform (Yield 5)));
  show "raised by the handler" (fun () -> handle (fun i _ -> raise (Stop i)) (fun () ->
    try perform (Yield 6) with Stop _ -> 0));
  show "raised by retc" (fun () -> handle ~retc:(fun i -> raise (Stop i)) plus_one (fun () ->
    try perform (Yield 7) with Stop _ -> 0));
  show "after a handler resumed" (fun () -> handle (fun i k -> ignore (continue k i); raise (Stop i))
    (fun () -> try perform (Yield 8) with Stop _ -> 0));
  for depth = 0 to 60 do
    show (Printf.sprintf "depth %d" depth) (fun () -> handle plus_one (fun () -> deep depth));
    for i = 0 to 6 do
      show (Printf.sprintf "depth %d, stopped by %d" depth i) (fun () ->
        handle (fun _ k -> discontinue k (Stop i)) (fun () -> deep depth))
    done
  done;
  List.iter (fun depth ->
    for i = 0 to 6 do
      show (Printf.sprintf "depth %d, stopped by %d" depth i) (fun () ->
        handle (fun _ k -> discontinue k (Stop i)) (fun () -> deep depth))
    done) [ 500; 5000 ]

(* Through nested fibers, each with handlers of exceptions of its own. *)
let () =
  let rec nest n =
    if n = 0 then (ignore (perform (Yield 0)); raise (Stop 0))
    else
      try handle ~exnc:(function Stop i -> raise (Stop (i + 1)) | e -> raise e) plus_one
            (fun () -> try nest (n - 1) with Stop i when i mod 5 = 4 -> raise (Stop (i * 2)))
      with Stop i when i mod 11 = 10 -> raise (Stop (i + 100)) in
  show "forty fibers" (fun () -> nest 40)
