let () =
  (try ignore (Printexc.print (fun () -> raise Exit) ()) with Exit -> prerr_endline "reraised");
  ignore (Printexc.print (fun n -> n + 1) 1);
  Printexc.catch (fun () -> failwith "caught by Printexc.catch") ()
