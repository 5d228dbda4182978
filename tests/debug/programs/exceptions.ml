exception Custom of int * string

let risky n =
  if n > 2 then raise (Custom (n, "too big"))
  else n * 10

let guarded n =
  try risky n
  with Custom (k, text) ->
    print_endline text;
    -k

let rethrow n =
  try risky n
  with Custom _ as e -> raise e

let cleanup f =
  match f () with
  | v -> Some v
  | exception Not_found -> None

let divide a b = a / b

let () =
  at_exit (fun () -> print_endline "bye");
  print_int (guarded 1 + guarded 5);
  print_newline ();
  (match cleanup (fun () -> List.assoc 3 [1, 2]) with
   | Some _ -> print_endline "some"
   | None -> print_endline "none");
  (try ignore (divide 1 0) with Division_by_zero -> print_endline "zero");
  (try ignore (rethrow 7) with Custom (n, _) -> print_int n; print_newline ());
  (try ignore ([|1|].(Array.length Sys.argv)) with Invalid_argument s -> print_endline s);
  ignore (rethrow 9)
