let rec forever n = 1 + forever (n + 1)
let rec forever_in_a_try n = try 1 + forever_in_a_try (n + 1) with Not_found -> 0
let rec many_locals n =
  let a = n + 1 and b = n + 2 and c = n + 3 and d = n + 4 in
  let r = many_locals (a + b) in
  r + a + b + c + d

let attempt name f =
  match f 0 with
  | _ -> Printf.printf "%s returned\n" name
  | exception Stack_overflow -> Printf.printf "%s overflowed\n" name

let () =
  attempt "plain" forever;
  attempt "try" forever_in_a_try;
  attempt "locals" many_locals;
  for i = 1 to 3 do attempt (string_of_int i) forever done;
  let depth = ref 0 in
  let rec count () = incr depth; count (); decr depth in
  (try count () with Stack_overflow -> ());
  Printf.printf "%b\n" (!depth > 10_000)
