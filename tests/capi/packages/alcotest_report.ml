(* packages: alcotest,str - alcotest captures what tests print, in C; its report, of tests that pass, fail and raise. *)
let tests =
  Alcotest.[
    "lists", [ test_case "rev" `Quick (fun () -> print_endline "captured";
                 check (list int) "same" [ 3; 2; 1 ] (List.rev [ 1; 2; 3 ]));
               test_case "differs" `Quick (fun () -> print_endline "shown with the failure";
                 check (list int) "same" [ 1 ] (List.rev [ 2 ])) ];
    "others", [ test_case "raises" `Quick (fun () -> raise Not_found);
                test_case "slow" `Slow (fun () -> check_raises "fails" (Failure "f") (fun () -> failwith "f")) ] ]

(* The run's number and the time differ. *)
let plain line =
  let replace pattern by s = Str.global_replace (Str.regexp pattern) by s in
  replace "ID `[A-Z0-9]*'" "ID" (replace "[0-9.]+s\\." "TIME." line)

let () =
  let out, into = Unix.pipe () in
  match Unix.fork () with
  | 0 ->
    Unix.close out;
    Unix.dup2 into Unix.stdout;
    Unix.dup2 into Unix.stderr;
    Unix.close into;
    (try Alcotest.run ~and_exit:false ~argv:[| "suite"; "--color=never" |] "suite" tests
     with e -> print_endline (Printexc.to_string e))
  | child ->
    Unix.close into;
    let ic = Unix.in_channel_of_descr out in
    (try while true do print_endline (plain (input_line ic)) done with End_of_file -> ());
    match Unix.waitpid [] child with _, Unix.WEXITED n -> Printf.printf "exited: %d\n" n | _ -> ()
