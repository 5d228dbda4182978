(* packages: lwt,lwt.unix - waiting for several things at once: time, pipes, sockets, processes, threads. *)
open Lwt.Infix

(* What each does it returns, so that the order of the output is fixed. *)
let jobs = [
  "sleep", (fun () -> Lwt_unix.sleep 0.02 >|= fun () -> "slept");
  "pipe", (fun () ->
    let r, w = Lwt_unix.pipe () in
    let buffer = Bytes.create 10 in
    let reader = Lwt_unix.read r buffer 0 10 in
    Lwt_unix.write_string w "ping" 0 4 >>= fun _ ->
    reader >|= fun n -> Bytes.sub_string buffer 0 n);
  "process", (fun () -> Lwt_process.pread_line (Lwt_process.shell "echo from a shell"));
  "status", (fun () -> Lwt_process.exec (Lwt_process.shell "exit 3") >|= function
    | Unix.WEXITED n -> "exited " ^ string_of_int n
    | _ -> "?");
  "stat", (fun () -> Lwt_unix.stat "/" >|= fun s ->
    if s.Lwt_unix.st_kind = Lwt_unix.S_DIR then "directory" else "?");
  "file", (fun () ->
    let name = Filename.temp_file "lwt" ".txt" in
    Lwt_io.with_file ~mode:Lwt_io.output name (fun c ->
      Lwt_list.iter_s (fun i -> Lwt_io.fprintf c "line %d\n" i) [1; 2; 3]) >>= fun () ->
    Lwt_io.with_file ~mode:Lwt_io.input name (fun c ->
      Lwt_stream.to_list (Lwt_io.read_lines c)) >>= fun lines ->
    Lwt_unix.unlink name >|= fun () -> String.concat "," lines);
  "socket", (fun () ->
    let address = Unix.ADDR_INET (Unix.inet_addr_loopback, 0) in
    let listening = Lwt_unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
    Lwt_unix.bind listening address >>= fun () ->
    Lwt_unix.listen listening 5;
    let serve = Lwt_unix.accept listening >>= fun (s, _) ->
      let i = Lwt_io.of_fd ~mode:Lwt_io.input s and o = Lwt_io.of_fd ~mode:Lwt_io.output s in
      Lwt_io.read_line i >>= fun l -> Lwt_io.write_line o (String.uppercase_ascii l) >>= fun () ->
      Lwt_io.close o in
    let client = Lwt_unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
    Lwt_unix.connect client (Lwt_unix.getsockname listening) >>= fun () ->
    let o = Lwt_io.of_fd ~mode:Lwt_io.output client in
    Lwt_io.write_line o "hello" >>= fun () ->
    let i = Lwt_io.of_fd ~mode:Lwt_io.input client in
    Lwt_io.read_line i >>= fun answer -> serve >|= fun () -> answer);
  "timeout", (fun () ->
    Lwt.catch (fun () -> Lwt_unix.with_timeout 0.01 (fun () -> fst (Lwt.task ())))
      (function Lwt_unix.Timeout -> Lwt.return "timed out" | e -> Lwt.fail e));
  "error", (fun () ->
    Lwt.catch (fun () -> Lwt_unix.openfile "/no/such" [Unix.O_RDONLY] 0 >|= fun _ -> "?")
      (function Unix.Unix_error (e, f, a) -> Lwt.return (Unix.error_message e ^ f ^ a)
              | e -> Lwt.fail e));
  "threads", (fun () ->
    Lwt_list.map_p (fun i -> Lwt_preemptive.detach (fun i ->
      Thread.delay 0.001; String.make i 'x') i) [1; 2; 3; 4] >|= String.concat " ");
  "name", (fun () -> Lwt_unix.getaddrinfo "127.0.0.1" "80" [Unix.AI_NUMERICHOST] >|= fun l ->
    if List.length l > 0 then "known" else "unknown");
]

let () =
  Lwt_main.run (
    Lwt_list.map_p (fun (name, job) -> job () >|= fun text -> name ^ ": " ^ text) jobs
    >>= Lwt_list.iter_s Lwt_io.printl)
