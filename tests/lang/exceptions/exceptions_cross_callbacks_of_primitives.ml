exception Stop of int

let () =
  let a = Array.init 10 (fun i -> 9 - i) in
  (try Array.sort (fun x y -> if x = 5 then raise (Stop y) else compare x y) a with
   | Stop n -> Printf.printf "sort stopped at %d\n" n);
  (try List.iter (fun x -> if x = 3 then raise (Stop x)) [ 1; 2; 3; 4 ] with
   | Stop n -> Printf.printf "iter stopped at %d\n" n);
  (try Hashtbl.iter (fun _ v -> raise (Stop v)) (let h = Hashtbl.create 1 in Hashtbl.add h 1 7; h)
   with Stop n -> Printf.printf "hashtbl stopped at %d\n" n);
  (try ignore (compare (fun x -> x) (fun y -> y)) with
   | Invalid_argument s -> print_endline s);
  (try Printf.printf "%t" (fun _ -> raise (Stop 1)) with Stop n -> Printf.printf "[%d]\n" n);
  (try Printf.ksprintf (fun s -> raise (Stop (String.length s))) "%d%d" 10 200 with
   | Stop n -> Printf.printf "ksprintf %d\n" n)
