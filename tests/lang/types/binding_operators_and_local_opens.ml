module Opt = struct
  let ( let* ) = Option.bind
  let ( let+ ) x f = Option.map f x
  let ( and+ ) a b = match a, b with Some x, Some y -> Some (x, y) | _ -> None
end

module State = struct
  let return x s = (x, s)
  let ( let* ) m f s = let x, s = m s in f x s
  let tick s = (s, s + 1)
end

let add a b =
  let open Opt in
  let* x = a in
  let+ y = b in
  x + y

let both a b = Opt.(let+ x = a and+ y = b in x * y)

let rec label t = State.(match t with
    | `Leaf -> return `Leaf
    | `Node (l, r) ->
      let* l = label l in
      let* n = tick in
      let* r = label r in
      return (`Labelled (l, n, r)))

let rec show = function `Leaf -> "." | `Labelled (l, n,
    r) -> Printf.sprintf "(%s%d%s)" (show l) n (show r)

let () =
  let p = function None -> print_endline "None" | Some n -> Printf.printf "%d\n" n in
  p (add (Some 1) (Some 2)); p (add None (Some 2)); p (both (Some 3) (Some 4));
      p (both (Some 3) None);
  let t = `Node (`Node (`Leaf, `Leaf), `Node (`Leaf, `Node (`Leaf, `Leaf))) in
  let l, n = label t 10 in
  Printf.printf "%s %d\n" (show l) n;
  let ( +! ) a b = (a * 10) + b and ( ~~ ) x = -x in
  Printf.printf "%d %d\n" (1 +! 2 +! 3) (~~5)
