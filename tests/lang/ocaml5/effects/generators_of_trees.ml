(* A generator turned inside out from an iteration, several interleaved. *)
type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
let rec insert x = function
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, y, r) as t -> if x < y then Node (insert x l, y, r) else if x > y then Node (l, y, insert x r) else t
let rec iter f = function Leaf -> () | Node (l, x, r) -> iter f l; f x; iter f r
let generator (type elt) (iter : (elt -> unit) -> unit) : unit -> elt option =
  let module M = struct
    type _ Effect.t += Yield : elt -> unit Effect.t
    type state = Start | Suspended of (unit, elt option) Effect.Deep.continuation | Finished
  end in
  let open M in
  let state = ref Start in
  fun () -> match !state with
    | Finished -> None
    | Suspended k -> Effect.Deep.continue k ()
    | Start ->
      Effect.Deep.match_with (fun () -> iter (fun x -> Effect.perform (Yield x))) ()
        { retc = (fun () -> state := Finished; None); exnc = raise;
          effc = (fun (type a) (e : a Effect.t) -> match e with
            | Yield x -> Some (fun (k : (a, elt option) Effect.Deep.continuation) -> state := Suspended k; Some x)
            | _ -> None) }
let same_fringe a b =
  let next = generator (fun f -> iter f a) and next' = generator (fun f -> iter f b) in
  let rec go n = match next (), next' () with
    | None, None -> Printf.sprintf "equal after %d" n
    | Some x, Some y when x = y -> go (n + 1)
    | x, y -> Printf.sprintf "differ at %d: %s %s" n
                (Option.fold ~none:"end" ~some:string_of_int x) (Option.fold ~none:"end" ~some:string_of_int y) in
  go 0
let () =
  let numbers seed n = List.init n (fun i -> (i * seed) mod 9973) in
  let tree l = List.fold_left (fun t x -> insert x t) Leaf l in
  let a = tree (numbers 7 3000) and b = tree (List.rev (numbers 7 3000)) and c = tree (numbers 7 2999) in
  print_endline (same_fringe a b);
  print_endline (same_fringe a c);
  let strings = generator (fun f -> List.iter f ["one"; "two"; "three"]) in
  let numbers = generator (fun f -> Array.iter f [| 1; 2; 3; 4 |]) in
  let rec zip () = match strings (), numbers () with
    | Some s, Some n -> Printf.printf "%s %d\n" s n; zip ()
    | s, n -> Printf.printf "end: %b %b\n" (s = None) (n = None) in
  zip ();
  Printf.printf "%b %b\n" (strings () = None) (numbers () = None)
