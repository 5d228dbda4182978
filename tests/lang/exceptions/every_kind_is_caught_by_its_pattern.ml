exception Constant
exception With_int of int
exception With_two of string * float
exception With_tuple of (int * int)
exception With_record of { code : int; text : string }
exception Alias = With_int
exception Poly of exn list

let name = function
  | Constant -> "Constant"
  | With_int 0 -> "With_int zero"
  | Alias n -> "With_int " ^ string_of_int n
  | With_two (s, f) -> Printf.sprintf "With_two %s %g" s f
  | With_tuple (a, b) -> Printf.sprintf "With_tuple %d %d" a b
  | With_record { code; text } -> Printf.sprintf "With_record %d %s" code text
  | Poly l -> Printf.sprintf "Poly %d" (List.length l)
  | Not_found -> "Not_found"
  | Failure s -> "Failure " ^ s
  | Invalid_argument s -> "Invalid_argument " ^ s
  | Division_by_zero -> "Division_by_zero"
  | End_of_file -> "End_of_file"
  | Exit -> "Exit"
  | Out_of_memory -> "Out_of_memory"
  | Stack_overflow -> "Stack_overflow"
  | Sys_error s -> "Sys_error " ^ s
  | Match_failure (f, l, c) -> Printf.sprintf "Match_failure %s %d %d" f l c
  | Assert_failure (f, l, c) -> Printf.sprintf "Assert_failure %s %d %d" f l c
  | Sys_blocked_io -> "Sys_blocked_io"
  | Undefined_recursive_module _ -> "Undefined_recursive_module"
  | _ -> "other"

let test f = print_endline (match f () with () -> "no exception" | exception e -> name e)
let zero = ref 0
let partial x = match x with 1 -> () [@@warning "-8"]

let () =
  List.iter
    (fun e -> test (fun () -> raise e); test (fun () -> raise_notrace e))
    [ Constant; With_int 0; With_int 5; Alias 6; With_two ("s", 0.5); With_tuple (1, 2);
      With_record { code = 3; text = "t" }; Poly [ Constant; Not_found ]; Not_found; Exit;
      Out_of_memory; Stack_overflow; End_of_file; Sys_blocked_io;
      Undefined_recursive_module ("a", 1, 2) ];
  test (fun () -> failwith "f");
  test (fun () -> invalid_arg "i");
  test (fun () -> ignore (1 / !zero));
  test (fun () -> ignore (1 mod !zero));
  test (fun () -> ignore (open_in "/nonexistent/file"));
  test (fun () -> ignore [| 1 |].(1 + !zero));
  test (fun () -> ignore "abc".[3 + !zero]);
  test (fun () -> assert (!zero = 1));
  test (fun () -> partial 2);
  test (fun () -> ignore (List.find (fun x -> x > 3) [ 1; 2 ]));
  test (fun () -> ignore (int_of_string "x"));
  test (fun () -> let exception Local of int in raise (Local 1));
  test (fun () -> ())
