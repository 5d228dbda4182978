let () =
  at_exit (fun () -> Printf.printf "at_exit %d\n" (Queue.length (Queue.create ())));
  ignore (Stack.pop (Stack.create ()))
