(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let read name =
  let ic = open_in name in
  let line = input_line ic in
  close_in ic;
  line

let () =
  (try print_string (read "/nowhere")
   with Sys_error _ -> Printexc.print_backtrace stdout);
  (try ignore (int_of_string "zz" + 1)
   with Failure _ -> Printexc.print_backtrace stdout);
  (try ignore (String.sub "abc" 2 5)
   with Invalid_argument _ -> Printexc.print_backtrace stdout);
  (try ignore (compare (fun x -> x) (fun x -> x))
   with Invalid_argument _ -> Printexc.print_backtrace stdout);
  (try ignore [| 1 |].(Array.length Sys.argv)
   with Invalid_argument _ -> Printexc.print_backtrace stdout);
  (try ignore (1 / (Array.length Sys.argv - 1))
   with Division_by_zero -> Printexc.print_backtrace stdout)
