(* Blocks above 256 words go to the major heap directly. *)
let big = [| |]
type t = int array

let list_of n = List.init n (fun i -> i)

let () =
  let a = Array.init 1000 (fun i -> ref i) in
  let b = Array.map (fun r -> (r, !r * 2)) a in
  Gc.minor ();
  Array.iter (fun (r, _) -> incr r) b;
  Printf.printf "%d\n" (Array.fold_left (fun acc r -> acc + !r) 0 a);
  let t = Array.make 257 "x" in
  for i = 0 to 256 do t.(i) <- string_of_int i done;
  Gc.full_major ();
  Printf.printf "%s %s %d\n" t.(0) t.(256) (Array.length t);
  let nested = Array.make_matrix 300 300 0 in
  for i = 0 to 299 do nested.(i).(i) <- i done;
  Printf.printf "%d\n" (Array.fold_left (fun acc row -> acc + Array.fold_left ( + ) 0 row) 0
      nested);
  Printf.printf "%d %d\n" (Array.length big) (List.length (list_of 300))
