(* flags: -I +unix *)
(* libs: unix.cma *)
(* Sockets of both kinds, addresses, select, options; a server and a client that is a child. *)
open Unix

let () =
  let a, b = socketpair PF_UNIX SOCK_STREAM 0 in
  let ready, _, _ = select [a] [] [] 0. in
  Printf.printf "%d\n" (List.length ready);
  Printf.printf "%d\n" (send b (Bytes.of_string "hello") 0 5 []);
  let ready, writable, _ = select [a; b] [a] [] 1. in
  Printf.printf "%b %b\n" (ready = [a]) (writable = [a]);
  let buffer = Bytes.make 10 '.' in
  let n = recv a buffer 0 10 [MSG_PEEK] in
  Printf.printf "%d %d %s\n" n (read a buffer 2 8) (Bytes.to_string buffer);
  set_nonblock a;
  (try ignore (read a buffer 0 1) with Unix_error ((EAGAIN | EWOULDBLOCK), f, _) -> print_endline f);
  clear_nonblock a;
  shutdown b SHUTDOWN_SEND;
  Printf.printf "%d\n" (read a buffer 0 1);
  close a; close b;
  let server = socket ~cloexec:true PF_INET SOCK_STREAM 0 in
  setsockopt server SO_REUSEADDR true;
  bind server (ADDR_INET (inet_addr_loopback, 0));
  listen server 1;
  let address = getsockname server in
  (match address with
   | ADDR_INET (host, port) -> Printf.printf "%s %b\n" (string_of_inet_addr host) (port > 0)
   | ADDR_UNIX _ -> print_endline "unix");
  (match fork () with
   | 0 ->
     let i, o = open_connection address in
     output_string o "question\n"; flush o;
     Printf.printf "client: %s\n%!" (input_line i);
     _exit 0
   | child ->
     let s, peer = accept server in
     let i, o = in_channel_of_descr s, out_channel_of_descr s in
     Printf.printf "server: %s %b\n%!" (input_line i)
       (match peer with ADDR_INET (h, _) -> h = inet_addr_loopback | _ -> false);
     output_string o "answer\n"; flush o;
     ignore (waitpid [] child);
     close s);
  Printf.printf "%b %b\n" (getsockopt server SO_REUSEADDR) (getsockopt_error server = None);
  close server;
  let u = socket PF_UNIX SOCK_DGRAM 0 in
  bind u (ADDR_UNIX "socket");
  let v = socket PF_UNIX SOCK_DGRAM 0 in
  Printf.printf "%d\n" (sendto_substring v "datagram" 0 8 [] (ADDR_UNIX "socket"));
  let n, _ = recvfrom u buffer 0 10 [] in
  print_endline (Bytes.sub_string buffer 0 n);
  unlink "socket";
  List.iter (fun s -> print_endline (string_of_inet_addr (inet_addr_of_string s)))
    ["127.0.0.1"; "::1"; "0.0.0.0"; "fe80::1"];
  (try ignore (inet_addr_of_string "not an address") with Failure m -> print_endline m);
  (match getaddrinfo "127.0.0.1" "80" [AI_NUMERICHOST; AI_SOCKTYPE SOCK_STREAM] with
   | { ai_addr = ADDR_INET (h, p); _ } :: _ -> Printf.printf "%s %d\n" (string_of_inet_addr h) p
   | _ -> print_endline "none")
