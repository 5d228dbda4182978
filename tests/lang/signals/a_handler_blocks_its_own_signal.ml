(* SG1 *)
let send name = ignore (Sys.command ("kill -" ^ name ^ " $PPID"))
let depth = ref 0
let rounds = ref 0

let handler other n =
  incr depth;
  Printf.printf "%*senter %d\n%!" (2 * !depth) "" n;
  if !rounds < 3 then begin
    incr rounds;
    send other;
    Printf.printf "%*ssent %s\n%!" (2 * !depth) "" other
  end;
  Printf.printf "%*sleave %d\n%!" (2 * !depth) "" n;
  decr depth

let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (handler "USR1"));
  send "USR1";
  print_endline "--";
  rounds := 0;
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (handler "USR2"));
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle (handler "USR1"));
  send "USR1";
  print_endline "--";
  (* an exception gives the mask back too *)
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> raise Exit));
  for i = 1 to 3 do
    try send "USR1"; ignore (Sys.opaque_identity [ i ]); print_endline "missed"
    with Exit -> Printf.printf "exit %d\n%!" i
  done
