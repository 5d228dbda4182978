(* Exceptions as control flow: early exits, backtracking, handlers in loops. *)
exception Found of int
exception Retry

let find_index p a =
  try
    Array.iteri (fun i x -> if p x then raise (Found i)) a;
    -1
  with Found i -> i

let rec solve target items chosen =
  match items with
  | _ when target = 0 -> raise_notrace (Found (List.length chosen))
  | [] -> ()
  | _ when target < 0 -> ()
  | x :: rest ->
      solve (target - x) rest (x :: chosen);
      solve target rest chosen

let divide a b = try a / b with Division_by_zero -> 0

let rec attempt n = try if n > 0 then raise Retry else 1 with Retry -> 1 + attempt (n - 1)

let lookup table key = try Hashtbl.find table key with Not_found -> -1

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let a = Array.init 40 (fun i -> i * 3) in
  let table = Hashtbl.create 64 in
  for i = 0 to 31 do
    Hashtbl.add table (2 * i) i
  done;
  let sum = ref 0 in
  for i = 1 to rounds do
    sum := !sum + find_index (fun x -> x = 3 * (i mod 50)) a;
    sum := !sum + divide i (i land 3);
    sum := !sum + attempt (i land 7);
    sum := !sum + lookup table (i land 127);
    sum := !sum + (try int_of_string (if i land 1 = 0 then "12" else "x") with Failure _ -> 1);
    if i mod 100 = 0 then
      try solve (150 + (i mod 7)) [ 17; 31; 5; 44; 23; 9; 61; 38; 12; 3 ] [] with Found n -> sum := !sum + n
  done;
  Printf.printf "%d\n" !sum
