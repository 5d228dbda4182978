open Effect
open Effect.Deep

type _ Effect.t += E : int -> int t | Depth : int t

let transparent retc f =
  match_with f () { retc; exnc = raise; effc = fun _ -> None }
let rec under n f = if n = 0 then f () else transparent (fun x -> x + 1) (fun () -> under (n - 1) f)

let answering f =
  match_with f () { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | E i -> Some (fun (k : (a, _) continuation) -> continue k (i * 2))
      | _ -> None }

let () =
  List.iter (fun n ->
    let r = answering (fun () -> under n (fun () ->
      let s = ref 0 in
      for i = 1 to 20 do s := !s + perform (E i) done;
      !s)) in
    Printf.printf "through %d: %d\n" n r) [ 0; 1; 2; 10; 100; 1000 ]

(* The chain is resumed elsewhere, is cut by handlers that take the effect, and ends level by level. *)
let () =
  let kept : (int, int) continuation list ref = ref [] in
  let keep f =
    match_with f () { retc = Fun.id; exnc = raise;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | E i -> Some (fun (k : (a, int) continuation) -> kept := (k : (int, int) continuation) :: !kept; i)
        | _ -> None } in
  for i = 1 to 5 do
    Printf.printf "kept %d\n" (keep (fun () -> under (10 * i) (fun () ->
      let a = perform (E i) in
      let b = under i (fun () -> perform (E a)) in
      answering (fun () -> under i (fun () -> perform (E b))))))
  done;
  let rec drain () = match !kept with
    | [] -> ()
    | k :: rest -> kept := rest; Printf.printf "resumed %d\n" (continue k (100 * List.length rest)); drain () in
  drain ()

(* Exceptions out of a chain, and values of every handler on the way. *)
let () =
  let rec noisy n f = if n = 0 then f () else
    match_with (fun () -> noisy (n - 1) f) () {
      retc = (fun x -> x * 2);
      exnc = (function Failure s when n mod 3 = 0 -> String.length s + n | Failure s -> failwith (s ^ "!") | e -> raise e);
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Depth when n mod 4 = 0 -> Some (fun (k : (a, _) continuation) -> continue k n)
        | _ -> None } in
  Printf.printf "%d\n" (noisy 9 (fun () -> failwith "x"));
  Printf.printf "%d\n" (noisy 7 (fun () -> if perform Depth > 0 then failwith "deep" else 0));
  Printf.printf "%d\n" (noisy 6 (fun () -> perform Depth))
