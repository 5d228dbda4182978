(* timeout: 30 *)
(* IO4: the handlers use the channel that waits *)
exception Enough

(* Shells do what is to happen while the program waits: `asleep` waits until it does, `told` until it
   has called tell. A shell that we start is a child of ours: its $PPID is this process. Each has a
   fifo of its own: the shell before may still hold its end. *)
let told = ref ""
let beside text =
  told := !told ^ "t";
  ignore (Sys.command ("mkfifo " ^ !told));
  ignore
    (Sys.command
       ("asleep() { until grep -q '^State:.S' /proc/$PPID/status; do\n\
         [ -d /proc/$PPID ] || exit; sleep 0.01; done; }\n\
         told() { read line < " ^ !told ^ "; }\n(" ^ text ^ ") >/dev/null 2>&1 &"))
let tell () = close_out (open_out !told)

let () =
  ignore (Sys.command "mkfifo f g h k over");
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> print_endline "handler"; tell ()));
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle (fun _ -> tell (); raise Enough));
  beside
    "exec 3>f; for i in 1 2; do asleep; kill -USR1 $PPID; told; echo data $i >&3; done; \
     told; asleep; kill -USR2 $PPID; told; echo late >&3";
  let ic = open_in "f" in
  print_endline (input_line ic);
  print_endline (input_line ic);
  (match tell (); input_char ic with
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
    (Sys.Signal_handle (fun _ -> tell (); Printf.printf "handler reads %s\n%!" (input_line !ic)));
  beside "exec 3>g; told; asleep; kill -USR1 $PPID; told; printf 'one\\ntwo\\nthree\\n' >&3";
  ic := open_in "g";
  tell ();
  print_endline (input_line !ic);
  print_endline (input_line !ic);
  close_in !ic

(* a handler that closes the channel that is being read *)
let () =
  let ic = ref stdin in
  Sys.set_signal Sys.sigusr1
    (Sys.Signal_handle (fun _ -> close_in !ic; print_endline "closed"; tell ()));
  beside "exec 3>h; told; asleep; kill -USR1 $PPID; told";
  ic := open_in "h";
  tell ();
  (match input_line !ic with
   | l -> print_endline l
   | exception e -> print_endline (Printexc.to_string e))

(* a handler that writes to the channel that is being written *)
let () =
  let ignore_ic = open_in_gen [ Open_rdonly; Open_nonblock ] 0 "k" in
  let oc = open_out "k" in
  Sys.set_signal Sys.sigusr1
    (Sys.Signal_handle
       (fun _ -> tell (); output_string oc "<handler>"; print_endline "handler wrote"));
  beside "told; asleep; kill -USR1 $PPID; told; cat k >copy; echo >over";
  tell ();
  output_string oc (String.make 300000 'x');
  close_out oc;
  close_in ignore_ic;
  let over = open_in "over" in
  ignore (input_line over);
  let ic = open_in_bin "copy" in
  let s = really_input_string ic (in_channel_length ic) in
  let rec find i = if s.[i] = '<' then i else find (i + 1) in
  Printf.printf "%d at %d\n" (String.length s) (find 0)
