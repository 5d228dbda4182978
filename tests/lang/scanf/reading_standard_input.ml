(* stdin: 3\n1 2 3\nname: Joe\n4.5 rest of line\n *)
let () =
  let n = Scanf.scanf " %d" (fun n -> n) in
  let total = ref 0 in
  for _ = 1 to n do Scanf.scanf " %d" (fun x -> total := !total + x) done;
  Printf.printf "%d %d\n" n !total;
  Scanf.scanf " name: %s" print_endline;
  Scanf.scanf " %f %s@\n" (fun f s -> Printf.printf "%g [%s]\n" f s);
  (try Scanf.scanf " %d" ignore with End_of_file -> print_endline "end")
