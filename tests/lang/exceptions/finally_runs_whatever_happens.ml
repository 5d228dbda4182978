let log = Buffer.create 16

let run name f =
  (match Fun.protect ~finally:(fun () -> Buffer.add_string log ("<" ^ name ^ ">")) f with
   | v -> Buffer.add_string log v
   | exception e -> Buffer.add_string log (Printexc.to_string e));
  Buffer.add_char log '\n'

let () =
  run "value" (fun () -> "ok");
  run "exit" (fun () -> raise Exit);
  run "failure" (fun () -> failwith "no");
  run "nested" (fun () ->
      Fun.protect ~finally:(fun () -> Buffer.add_string log "inner") (fun () -> raise Not_found));
  (match Fun.protect ~finally:(fun () -> raise Exit) (fun () -> "value") with
   | _ -> ()
   | exception Fun.Finally_raised e ->
     Buffer.add_string log ("finally raised " ^ Printexc.to_string e));
  print_endline (Buffer.contents log);
  print_endline (Printexc.to_string (Fun.Finally_raised Not_found))
