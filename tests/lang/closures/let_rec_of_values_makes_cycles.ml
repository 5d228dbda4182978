type t = { name : string; next : t; prev : t }
type tree = Leaf | Node of tree * int * (unit -> tree)

let rec ones = 1 :: ones
let rec a = { name = "a"; next = b; prev = c }
and b = { name = "b"; next = c; prev = a }
and c = { name = "c"; next = a; prev = b }

let rec node = Node (Leaf, 5, fun () -> node)
let rec lazy_self = lazy (fun n -> if n = 0 then 1 else n * Lazy.force lazy_self (n - 1))
let rec f x = if x > 0 then g (x - 1) else List.hd h
and g x = f x + 1
and h = [ 100; 200 ]

let local n =
  let rec x = n :: y
  and y = (n + 1) :: z
  and z = (n + 2) :: x in
  (x, y, z)

let rec take n l = if n = 0 then [] else List.hd l :: take (n - 1) (List.tl l)

let () =
  List.iter (Printf.printf "%d ") (take 5 ones);
  Printf.printf "%s%s%s%s\n" a.next.name a.next.next.name a.prev.name a.next.next.next.name;
  (match node with
   | Node (Leaf, n, again) -> Printf.printf "%d %b\n" n (again () == node)
   | _ -> print_endline "?");
  Printf.printf "%d\n" (Lazy.force lazy_self 10);
  Printf.printf "%d\n" (f 10);
  let x, y, z = local 7 in
  List.iter (Printf.printf "%d ") (take 10 x);
  Printf.printf "%b %b\n" (List.tl x == y) (List.tl z == x)
