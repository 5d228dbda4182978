open Effect
open Effect.Deep

(* Exceptions that no handler of a fiber catches, often enough for machine code: from a function
   that has just been entered, after an effect, through handlers that passed it on, out of a fiber
   whose handlers of exceptions are far from its innermost frames, from a handler itself. *)

type _ Effect.t += Ask : int -> int t | Other : unit t
exception Stop of int * int

let total = ref 0
let note n = total := (!total * 31 + n) land 0xffffff

let fiber ?(exnc = raise) f =
  match_with f ()
    { retc = Fun.id; exnc;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Ask n -> Some (fun (k : (a, int) continuation) ->
            if n mod 5 = 0 then discontinue k (Stop (n, 1)) else continue k (n + 1))
        | _ -> None }

let passing f = match_with f () { retc = Fun.id; exnc = raise; effc = fun _ -> None }

let rec deep n f = if n = 0 then f () else 1 + deep (n - 1) f
let stop a b = raise (Stop (a, b))
let caught f = match f () with n -> note n | exception Stop (a, b) -> note (a + 2 * b)

(* A call with many arguments: what the handler finds outside its own. *)
let applied a b c d e f = note (a + b + c + d + e + f); fun g h -> note (g - h); stop g h

let round i =
  caught (fun () -> fiber (fun () -> stop i 0));
  caught (fun () -> fiber (fun () -> ignore (perform (Ask i)); stop i 1));
  caught (fun () -> fiber (fun () -> passing (fun () -> passing (fun () ->
    ignore (perform (Ask i)); stop i 2))));
  caught (fun () -> fiber (fun () -> passing (fun () ->
    try perform (Ask i) with Stop (a, b) -> stop (a + 1) (b + 1))));
  caught (fun () -> fiber ~exnc:(fun e -> note 1; raise e) (fun () -> stop i 3));
  caught (fun () -> fiber ~exnc:(function Stop (a, b) -> a - b | e -> raise e)
    (fun () -> stop i 4));
  caught (fun () -> fiber (fun () -> fiber ~exnc:(fun _ -> perform (Ask i)) (fun () -> stop i 5)));
  caught (fun () -> fiber (fun () ->
    try deep (i mod 50) (fun () -> ignore (perform (Ask i)); stop i 6)
    with Stop (a, _) when a mod 3 = 0 -> a));
  caught (fun () -> fiber (fun () -> applied 1 2 3 4 5 6 i 8));
  caught (fun () -> fiber (fun () -> if i mod 7 = 0 then [| 1 |].(i + 1) else i / (i mod 2)));
  caught (fun () -> fiber (fun () -> let r = ref 0.5 in
    for j = 1 to 3 do r := !r +. float j done;
    raise (Stop (int_of_float !r, 7))))

let () =
  for i = 1 to 3000 do
    match round i with
    | () -> ()
    | exception Invalid_argument _ -> note 2
    | exception Division_by_zero -> note 3
  done;
  print_int !total; print_newline ();
  (* Nobody catches it. *)
  fiber (fun () -> passing (fun () -> perform Other; stop 1 2)) |> ignore
