(* Domain.at_exit: last registered first, before join returns; exceptions in them. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let show name d = match Domain.join d with n -> say "%s: %d" name n | exception e -> say "%s: %s" name (Printexc.to_string e)
let () =
  show "order" (Domain.spawn (fun () ->
    for i = 1 to 3 do Domain.at_exit (fun () -> say "exit %d" i) done; say "body"; 1));
  show "after an exception" (Domain.spawn (fun () -> Domain.at_exit (fun () -> say "still"); failwith "body"));
  show "raises" (Domain.spawn (fun () -> Domain.at_exit (fun () -> failwith "in at_exit"); 2));
  show "both raise" (Domain.spawn (fun () -> Domain.at_exit (fun () -> failwith "in at_exit"); failwith "body"));
  show "one of three raises" (Domain.spawn (fun () ->
    Domain.at_exit (fun () -> say "first"); Domain.at_exit (fun () -> failwith "second"); Domain.at_exit (fun () -> say "third"); 3));
  show "registers another" (Domain.spawn (fun () ->
    Domain.at_exit (fun () -> say "outer"; Domain.at_exit (fun () -> say "inner")); 4));
  show "nested" (Domain.spawn (fun () ->
    Domain.at_exit (fun () -> say "parent %d" (Domain.join (Domain.spawn (fun () -> Domain.at_exit (fun () -> say "child"); 5)))); 6));
  let key = Domain.DLS.new_key (fun () -> 10) in
  show "sees the domain's storage" (Domain.spawn (fun () -> Domain.DLS.set key 77; Domain.at_exit (fun () -> say "dls %d" (Domain.DLS.get key)); 7));
  Domain.at_exit (fun () -> say "main's");
  at_exit (fun () -> say "the program's");
  Domain.at_exit (fun () -> say "main's second");
  say "end of main"
