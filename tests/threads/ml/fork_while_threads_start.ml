let () =
  for i = 1 to 20 do
    let others = List.init 3 (fun k -> Thread.create (fun () -> ignore (Array.make 100 k)) ()) in
    (match Unix.fork () with
     | 0 ->
       let t = Thread.create (fun () -> List.length (List.init 100 string_of_int)) () in
       Thread.join t;
       Gc.full_major ();
       exit i
     | pid ->
       match Unix.waitpid [] pid with
       | _, Unix.WEXITED n -> Printf.printf "status %d\n%!" n
       | _ -> print_endline "?");
    List.iter Thread.join others
  done
