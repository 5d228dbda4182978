(* Sys.poll_actions and its primitive run signal handlers and finalisers. *)
external process : 'a -> 'a = "caml_process_pending_actions_with_root"
external poll : unit -> unit = "%poll"
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let hits = ref 0 in
  Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> incr hits));
  for i = 1 to 3 do
    ignore (Sys.command "kill -USR1 $PPID"); (match i with 1 -> Sys.poll_actions () | 2 -> say "%d" (process 5) | _ -> poll ());
    say "%d" !hits
  done;
  Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> raise Exit));
  (match ignore (Sys.command "kill -USR1 $PPID"); Sys.poll_actions () with () -> say "?" | exception Exit -> say "raised");
  say "%s" (process (String.concat "-" ["kept"; "value"]))
