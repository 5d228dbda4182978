type point = { x : float; y : float; }
type named = { label : string; at : point; again : unit -> named }

let rec n = { label = "origin"; at = p; again = (fun () -> n) }
and p = { x = 1.5; y = 2.5 }

let rec arr = [| f; g |]
and f x = if x = 0 then "f" else arr.(1) (x - 1)
and g x = if x = 0 then "g" else arr.(0) (x - 1)

let rec t = (1, u, 2)
and u = [ "in u" ]

let rec big =
  [| k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k; k |]
and k () = Array.length big

let () =
  Printf.printf "%s %g %g %s\n" n.label n.at.x n.at.y (n.again ()).label;
  print_endline (arr.(0) 0 ^ arr.(0) 1 ^ arr.(1) 1 ^ arr.(0) 6);
  let one, l, two = t in
  Printf.printf "%d %s %d\n" one (List.hd l) two;
  Printf.printf "%d\n" (big.(30) ())
