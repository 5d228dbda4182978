(* libs: unix.cma *)
(* What a channel cannot write because its reader is gone, or its descriptor closed, is dropped with
   the error; what does not fit on a full disk is tried again. *)
open Unix
let attempt name f =
  try f (); Printf.printf "%s: done\n" name with Sys_error s -> Printf.printf "%s: %s\n" name s
let try_all name oc =
  print_endline name;
  output_string oc "abc";
  for _ = 1 to 3 do attempt "flush" (fun () -> flush oc) done;
  output_string oc "def";
  attempt "flush" (fun () -> flush oc);
  attempt "much" (fun () -> output_string oc (String.make 200_000 'x'));
  attempt "flush" (fun () -> flush oc);
  Printf.printf "position %d\n" (pos_out oc);
  attempt "close" (fun () -> close_out oc)
let pipe_without_reader () =
  let r, w = pipe () in
  close r; out_channel_of_descr w
let closed_descriptor () =
  let fd = openfile "/dev/null" [ O_WRONLY ] 0 in
  close fd; out_channel_of_descr fd
let reset_connection () =
  let server = socket PF_INET SOCK_STREAM 0 and client = socket PF_INET SOCK_STREAM 0 in
  bind server (ADDR_INET (inet_addr_loopback, 0)); listen server 1;
  connect client (getsockname server);
  let peer, _ = accept server in
  setsockopt_optint peer SO_LINGER (Some 0); close peer;
  ignore (select [ client ] [] [] 5.); (* until the reset has arrived *)
  out_channel_of_descr client
let () =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  try_all "a pipe without a reader" (pipe_without_reader ());
  try_all "a descriptor for reading" (out_channel_of_descr (openfile "/dev/null" [ O_RDONLY ] 0));
  (match closed_descriptor () with
   | oc -> try_all "a descriptor that was closed" oc
   | exception Unix_error (e, _, _) -> print_endline (error_message e));
  try_all "a connection that was reset" (reset_connection ());
  try_all "a full disk" (out_channel_of_descr (openfile "/dev/full" [ O_WRONLY ] 0))
