(* OCaml 5 hashes closures by their fields; compare refuses them. *)
let show f = print_endline (match f () with s -> s | exception e -> Printexc.to_string e)
let make a b = fun x -> x + a + b
let () =
  let f = make 1 2 in
  show (fun () -> string_of_bool (Hashtbl.hash f = Hashtbl.hash f));
  show (fun () -> string_of_bool (Hashtbl.hash (1, f) = Hashtbl.hash (1, f)));
  show (fun () -> string_of_bool (f = f)); show (fun () -> string_of_int (compare f f)); show (fun () -> string_of_bool (f == f));
  show (fun () -> string_of_int (compare (1, f) (2, f))); show (fun () -> string_of_bool (make 1 2 = make 1 2));
  show (fun () -> string_of_int (compare [f] [])); show (fun () -> string_of_bool (Some f <> None)); show (fun () -> string_of_int (compare (Obj.repr f) (Obj.repr 3))); show (fun () -> string_of_int (compare (Obj.repr 3) (Obj.repr f)));
  show (fun () -> string_of_bool (stdout = stdout)); show (fun () -> string_of_bool (stdin = Obj.magic stdout)); show (fun () -> string_of_int (compare nan nan)); show (fun () -> string_of_bool (nan = nan)); show (fun () -> string_of_int (compare (Obj.repr 1.5) (Obj.repr "x")))
