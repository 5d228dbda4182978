#warnings "-26";;
exception Bad of int
let check n = let unused = 3 in if n > 2 then raise (Bad n) else n
let () = try List.iter (fun n -> print_int (check n)) [1; 2; 3] with Bad n -> Printf.printf " bad %d\n" n
