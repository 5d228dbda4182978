(* env: OCAMLRUNPARAM=b *)
(* flags: -g -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* The texts of uncaught exceptions with a backtrace. *)
let rec deep n = if n = 0 then failwith "deep" else 1 + deep (n - 1)
let lines f =
  1 + f
   2
let () =
  Thread.join (Thread.create (fun () -> ignore (lines deep)) ());
  (match lines deep with
   | _ -> ()
   | exception Failure _ ->
     let slots = Option.get (Printexc.backtrace_slots (Printexc.get_raw_backtrace ())) in
     Array.iter (fun s -> match Printexc.Slot.location s with
         | None -> ()
         | Some l -> Printf.printf "%d %d %d %d %d\n" l.line_number l.start_char l.end_char
                       l.end_line l.end_col) slots;
     Printexc.print_backtrace stdout);
  Thread.join (Thread.create (fun () -> ignore (deep 2)) ());
  Thread.join (Thread.create (fun () -> try ignore (deep 1) with Failure _ -> raise Not_found) ());
  Domain.join (Domain.spawn (fun () ->
      Thread.join (Thread.create (fun () -> ignore (deep 1)) ())));
  (* threads share the setting of their domain *)
  Thread.join (Thread.create (fun () -> Printexc.record_backtrace false) ());
  Printf.printf "%b\n%!" (Printexc.backtrace_status ());
  Thread.join (Thread.create (fun () -> ignore (deep 2)) ());
  Printf.printf "%b\n%!" (Domain.join (Domain.spawn Printexc.backtrace_status));
  Printexc.record_backtrace true;
  match deep 1 with
  | _ -> ()
  | exception Failure _ -> Printexc.print_backtrace stdout
