(* What the test programs share: one line for each thing that holds, so that .expected lists them. *)
let lib = Sys.argv.(1)
let ok name condition = print_endline ((if condition then "ok   " else "FAIL ") ^ name)

let same name expected actual =
  if compare expected actual = 0 then print_endline ("ok   " ^ name)
  else print_endline ("FAIL " ^ name ^ ": another value")

let refuses name f =
  match f () with
  | _ -> print_endline ("FAIL " ^ name ^ ": no exception")
  | exception Invalid_argument text -> print_endline ("ok   " ^ name ^ ": " ^ text)
  | exception Failure text -> print_endline ("ok   " ^ name ^ ": failure: " ^ text)

(* Makes garbage, young and old. *)
let churn () =
  ignore (Sys.opaque_identity (List.init 10 string_of_int));
  Gc.minor ()
