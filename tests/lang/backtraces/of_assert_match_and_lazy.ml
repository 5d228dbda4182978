(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let show f = try f () with _ -> Printexc.print_backtrace stdout; print_endline "--"
type t = A | B
let partial = function A -> () [@@warning "-8"]
let l = lazy (if Array.length Sys.argv > 0 then failwith "lazy" else 1)

let () =
  show (fun () -> assert (Array.length Sys.argv = 0));
  show (fun () -> partial B);
  show (fun () -> print_int (Lazy.force l));
  show (fun () -> print_int (Lazy.force l));
  show (fun () -> let o = object method m = raise Exit end in o#m)
