(* timeout: 30 *)
(* IO4: the handlers use the channel that waits *)
exception Enough

let () =
  (* one fifo a part: the writer of the part before may still hold its own *)
  ignore (Sys.command "mkfifo f g h k");
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> print_endline "handler"));
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle (fun _ -> raise Enough));
  (* the shell that we start is a child of ours: its $PPID is this process *)
  ignore
    (Sys.command
       "(exec 3>f; for i in 1 2; do sleep 0.2; kill -USR1 $PPID; sleep 0.2; echo data $i >&3; done; \
        sleep 0.2; kill -USR2 $PPID; sleep 0.2; echo late >&3) >/dev/null 2>&1 &");
  let ic = open_in "f" in
  print_endline (input_line ic);
  print_endline (input_line ic);
  (match input_char ic with
   | c -> Printf.printf "read %C\n" c
   | exception Enough -> print_endline "left the read");
  print_endline (input_line ic);
  (match input_line ic with
   | l -> print_endline l
   | exception End_of_file -> print_endline "end");
  close_in ic

(* a handler that reads from the channel that is being read *)
let () =
  let ic = ref stdin in
  Sys.set_signal Sys.sigusr1
    (Sys.Signal_handle (fun _ -> Printf.printf "handler reads %s\n%!" (input_line !ic)));
  ignore
    (Sys.command
       "(exec 3>g; sleep 0.2; kill -USR1 $PPID; sleep 0.2; printf 'one\\ntwo\\nthree\\n' >&3) >/dev/null 2>&1 &");
  ic := open_in "g";
  print_endline (input_line !ic);
  print_endline (input_line !ic);
  close_in !ic

(* a handler that closes the channel that is being read *)
let () =
  let ic = ref stdin in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> close_in !ic; print_endline "closed"));
  ignore
    (Sys.command "(exec 3>h; sleep 0.2; kill -USR1 $PPID; sleep 0.2) >/dev/null 2>&1 &");
  ic := open_in "h";
  (match input_line !ic with
   | l -> print_endline l
   | exception e -> print_endline (Printexc.to_string e))

(* a handler that writes to the channel that is being written *)
let () =
  let ignore_ic = open_in_gen [ Open_rdonly; Open_nonblock ] 0 "k" in
  let oc = open_out "k" in
  Sys.set_signal Sys.sigusr1
    (Sys.Signal_handle (fun _ -> output_string oc "<handler>"; print_endline "handler wrote"));
  ignore
    (Sys.command
       "(sleep 0.2; kill -USR1 $PPID; sleep 0.2; exec cat k >copy) >/dev/null 2>&1 &");
  output_string oc (String.make 300000 'x');
  close_out oc;
  close_in ignore_ic;
  Printf.printf "%d\n" (Sys.command "sleep 0.3");
  let ic = open_in_bin "copy" in
  let s = really_input_string ic (in_channel_length ic) in
  let rec find i = if s.[i] = '<' then i else find (i + 1) in
  Printf.printf "%d at %d\n" (String.length s) (find 0)
