let f i =
  let a = i * 2 and b = i * 3 in
  try
    if i mod 3 = 0 then raise Not_found
    else if i mod 5 = 0 then failwith "five"
    else if i mod 7 = 0 then raise Exit
    else a + b
  with
  | Not_found -> a - b
  | Failure s -> String.length s + a
  | Exit -> b

let () =
  let total = ref 0 in
  for i = 1 to 1000 do
    total := (!total * 31 + f i) land 0xFFFFFF
  done;
  Printf.printf "%d\n" !total;
  let i = ref 0 in
  (try
     while true do
       try
         incr i;
         if !i > 5000 then raise Exit;
         if !i land 1 = 0 then raise Not_found
       with Not_found -> ()
     done
   with Exit -> Printf.printf "left at %d\n" !i);
  let rec unwind n = if n = 0 then raise Not_found else 1 + (try unwind (n - 1) with Exit -> 0) in
  let caught = ref 0 in
  for n = 0 to 200 do
    try ignore (unwind n) with Not_found -> incr caught
  done;
  Printf.printf "%d\n" !caught
