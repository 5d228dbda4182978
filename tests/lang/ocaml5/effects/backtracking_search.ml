(* Choices as effects: the first solution, all solutions, by running the program again. *)
open Effect.Deep
type _ Effect.t += Choose : int -> int Effect.t | Fail : 'a Effect.t
(* One-shot continuations: each path is replayed from the start with its choices. *)
let explore f =
  let found = ref [] and paths = ref 0 in
  let rec go prefix =
    incr paths;
    let rest = ref prefix and taken = ref [] and widths = ref [] in
    let r = match_with (fun () -> Some (f ())) () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
      | Choose n -> Some (fun (k : (a, _) continuation) ->
          let c : int = match !rest with [] -> 0 | c :: r -> rest := r; c in
          taken := c :: !taken; widths := n :: !widths; continue k c)
      | Fail -> Some (fun (k : (a, _) continuation) -> None) | _ -> None) } in
    Option.iter (fun s -> found := s :: !found) r;
    let rec next = function [] -> None | (c, w) :: r -> if c + 1 < w then Some (List.rev_append (List.map fst r) [c + 1]) else next r in
    match next (List.combine !taken !widths) with Some p -> go p | None -> () in
  go []; (List.rev !found, !paths)
let queens n () =
  let rec place row placed = if row = n then List.rev placed else
    let c = Effect.perform (Choose n) in
    if List.exists (fun (r, d) -> d = c || abs (d - c) = row - r) (List.mapi (fun i d -> (row - 1 - i, d)) placed) then Effect.perform Fail else place (row + 1) (c :: placed) in
  place 0 []
let () = List.iter (fun n -> let s, paths = explore (queens n) in Printf.printf "%d queens: %d solutions, %d paths%s\n" n (List.length s) paths (match s with [] -> "" | l :: _ -> ", first " ^ String.concat "" (List.map string_of_int l))) [1; 2; 3; 4; 5; 6; 7]
