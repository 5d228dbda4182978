open Effect
open Effect.Deep

type _ Effect.t += Ask : int -> int Effect.t

let double x =
  let twice = 2 * x in
  twice

let asks n =
  let answer = perform (Ask n) in
  let again = double answer in
  again + 1

let answer k x =
  let given = x + 10 in
  continue k given

let run f =
  match_with f ()
    { retc = (fun x -> x); exnc = raise;
      effc = fun (type a) (e : a Effect.t) ->
        match e with
        | Ask x -> Some (fun (k : (a, _) continuation) -> answer k x)
        | _ -> None }

let () =
  let first = run (fun () -> asks 1) in
  let second = run (fun () -> asks 2 + asks 3) in
  print_int (first + second);
  print_newline ()
