type 'a t = { front : 'a list; back : 'a list; size : int }

let empty = { front = []; back = []; size = 0 }
let push x q = { q with back = x :: q.back; size = q.size + 1 }

let rec pop q = match q.front with
  | x :: front -> Some (x, { q with front; size = q.size - 1 })
  | [] when q.back = [] -> None
  | [] -> pop { q with front = List.rev q.back; back = [] }

let sum q =
  let total = ref 0 in
  let rec go q = match pop q with
    | None -> !total
    | Some (x, q) -> total := !total + x; go q
  in
  go q

let table = [| "zero"; "one"; "two" |]
let name n = if n >= 0 && n < Array.length table then table.(n) else string_of_int n
