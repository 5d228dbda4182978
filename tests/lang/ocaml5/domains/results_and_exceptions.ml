(* What Domain.join returns or raises, and the functions of Domain.at_exit. *)
exception Boom of int

let attempt name f =
  match f () with
  | text -> Printf.printf "%s: %s\n%!" name text
  | exception e -> Printf.printf "%s raises %s\n%!" name (Printexc.to_string e)

let run f = Domain.join (Domain.spawn f)
let say text () = print_endline text

let () =
  attempt "a list" (fun () -> String.concat "," (run (fun () -> List.init 5 string_of_int)));
  attempt "a float" (fun () -> string_of_float (run (fun () -> 1.5)));
  attempt "unit" (fun () -> run ignore; "()");
  attempt "raise" (fun () -> run (fun () -> raise (Boom 1)));
  attempt "constant exception" (fun () -> run (fun () -> raise Not_found));
  attempt "assert" (fun () -> run (fun () -> assert (Sys.opaque_identity false); ""));
  attempt "join twice" (fun () ->
      let d = Domain.spawn (fun () -> 3) in
      let first = Domain.join d in
      string_of_int (first + Domain.join d));
  attempt "join twice, raising" (fun () ->
      let d = Domain.spawn (fun () -> raise (Boom 2)) in
      (match Domain.join d with () -> () | exception Boom n -> Printf.printf "first %d\n" n);
      Domain.join d; "returned");
  attempt "joined by two" (fun () ->
      let d = Domain.spawn (fun () -> 20) in
      let e = Domain.spawn (fun () -> Domain.join d + 1) in
      string_of_int (Domain.join d + Domain.join e));
  attempt "the same value" (fun () ->
      let r = ref 0 in string_of_bool (run (fun () -> r) == r));
  attempt "the same exception" (fun () ->
      let e = Boom 7 in
      match run (fun () -> raise e) with () -> "" | exception x -> string_of_bool (x == e));
  attempt "nested" (fun () -> run (fun () -> run (fun () -> run (fun () -> "inner"))));
  attempt "nested raise" (fun () -> run (fun () -> run (fun () -> run (fun () -> raise Exit))));
  attempt "own join" (fun () ->
      let d = Domain.spawn (fun () -> Domain.cpu_relax (); (Domain.self () :> int)) in
      string_of_bool (Domain.join d = (Domain.get_id d :> int)));
  attempt "at_exit" (fun () ->
      run (fun () -> Domain.at_exit (say "registered first");
                     Domain.at_exit (say "registered second"); "body"));
  attempt "at_exit raises" (fun () ->
      run (fun () -> Domain.at_exit (fun () -> raise (Boom 3)); "body"));
  attempt "both raise" (fun () ->
      run (fun () -> Domain.at_exit (fun () -> raise (Boom 3)); raise (Boom 4)));
  attempt "at_exit in at_exit" (fun () ->
      run (fun () -> Domain.at_exit (fun () -> Domain.at_exit (say "inner"); print_endline "outer");
                     "body"));
  attempt "at_exit after a raise" (fun () ->
      run (fun () -> Domain.at_exit (say "runs"); raise (Boom 5)));
  attempt "at_exit of the program" (fun () ->
      run (fun () -> at_exit (say "registered in a domain"); "body"));
  attempt "too late" (fun () -> Domain.before_first_spawn ignore; "accepted");
  Domain.at_exit (say "of the first domain");
  ignore (Domain.spawn (fun () -> failwith "nobody joins"));
  attempt "last" (fun () -> run (fun () -> "end"))
