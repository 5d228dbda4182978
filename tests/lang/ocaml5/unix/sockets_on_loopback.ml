(* libs: unix.cma threads.cma *)
(* flags: -I +unix -I +threads *)
(* Connections, datagrams, options, names and their errors. *)
open Unix
let p fmt = Printf.printf (fmt ^^ "\n%!")
let t n f = match f () with s -> p "%s: %s" n s | exception Unix_error (e, f, a) -> p "%s: %s %s %S" n (error_message e) f a | exception e -> p "%s: %s" n (Printexc.to_string e)
let () =
  let s = socket ~cloexec:true PF_INET SOCK_STREAM 0 in setsockopt s SO_REUSEADDR true;
  bind s (ADDR_INET (inet_addr_loopback, 0)); listen s 5; let addr = getsockname s in
  let th = Thread.create (fun () -> for _ = 1 to 2 do let c, _ = accept ~cloexec:true s in let ic = in_channel_of_descr c and oc = out_channel_of_descr c in (try while true do let l = input_line ic in output_string oc (String.uppercase_ascii l ^ "\n"); Stdlib.flush oc done with End_of_file -> ()); close c done) () in
  let ic, oc = open_connection addr in output_string oc "abc\ndef\n"; Stdlib.flush oc; p "%s" (input_line ic);
  p "%s" (input_line ic); shutdown_connection ic; close_in ic;
  let c = socket PF_INET SOCK_STREAM 0 in connect c addr; ignore (send_substring c "xyz\n" 0 4 []);
  let b = Bytes.create 100 in let n = recv c b 0 100 [] in p "%S" (Bytes.sub_string b 0 n);
  setsockopt_float c SO_RCVTIMEO 0.05; t "timeout" (fun () -> string_of_int (recv c b 0 10 []));
  shutdown c SHUTDOWN_SEND; p "%d" (recv c b 0 10 []);
  t "peer" (fun () -> string_of_bool (getpeername c = addr));
  p "%b %d" (getsockopt c SO_KEEPALIVE) (match getsockopt_optint c SO_LINGER with None -> -1 | Some n -> n);
  setsockopt_optint c SO_LINGER (Some 3);
  p "%s" (match getsockopt_optint c SO_LINGER with Some n -> string_of_int n | None -> "none");
  p "%b" (getsockopt_int c SO_TYPE = 1); p "%b" (getsockopt_error c = None); close c; Thread.join th; close s;
  let a, b' = socketpair PF_UNIX SOCK_STREAM 0 in ignore (write_substring a "pair" 0 4);
  p "%d" (read b' b 0 10); close a; p "eof %d" (read b' b 0 10); Sys.set_signal Sys.sigpipe Signal_ignore;
  t "epipe" (fun () -> string_of_int (write_substring b' "x" 0 1));
  let u = socket PF_UNIX SOCK_DGRAM 0 and v = socket PF_UNIX SOCK_DGRAM 0 in bind u (ADDR_UNIX "sock");
  p "%d" (sendto_substring v "dgram" 0 5 [] (ADDR_UNIX "sock"));
  let n, from = recvfrom u b 0 100 [] in p "%s %s" (Bytes.sub_string b 0 n) (match from with ADDR_UNIX s -> "unix:" ^ s | _ -> "inet");
  p "%s" (match getsockname u with ADDR_UNIX s -> s | _ -> "?");
  t "bind twice" (fun () -> bind v (ADDR_UNIX "sock"); "?");
  t "refused" (fun () -> let c = socket PF_INET SOCK_STREAM 0 in connect c (ADDR_INET (inet_addr_loopback, 1)); "?");
  let d = socket PF_INET SOCK_DGRAM 0 in bind d (ADDR_INET (inet_addr_any, 0));
  let port = match getsockname d with ADDR_INET (_, p) -> p | _ -> 0 in ignore (sendto d (Bytes.of_string "udp") 0 3 [] (ADDR_INET (inet_addr_loopback, port)));
  let n, f = recvfrom d b 0 10 [ MSG_PEEK ] in p "%d %b" n (match f with ADDR_INET (a, q) -> q = port && a = inet_addr_loopback | _ -> false);
  p "%d" (recv d b 0 2 []);
  p "%s %s %s" (string_of_inet_addr (inet_addr_of_string "127.0.0.1")) (string_of_inet_addr inet6_addr_loopback) (string_of_inet_addr (inet_addr_of_string "fe80::1:2"));
  t "bad addr" (fun () -> string_of_inet_addr (inet_addr_of_string "300.1.1.1"));
  p "%b" (is_inet6_addr inet6_addr_any);
  p "%d" (List.length (getaddrinfo "127.0.0.1" "80" [ AI_NUMERICHOST; AI_SOCKTYPE SOCK_STREAM ]));
  p "%s" (match getaddrinfo "127.0.0.1" "80" [ AI_NUMERICHOST; AI_SOCKTYPE SOCK_STREAM ] with { ai_addr = ADDR_INET (a, p) } :: _ -> string_of_inet_addr a ^ string_of_int p | _ -> "?");
  t "nameinfo" (fun () -> let n = getnameinfo (ADDR_INET (inet_addr_loopback, 8080)) [ NI_NUMERICHOST; NI_NUMERICSERV ] in n.ni_hostname ^ ":" ^ n.ni_service);
  t "proto" (fun () -> (getprotobyname "nosuchproto").p_name);
  t "domain" (fun () -> string_of_int (Bytes.length b));
  t "not sock" (fun () -> ignore (getsockname stdin); "?"); let r, w = pipe () in
  let rd, wr, _ = select [ r ] [ w ] [] 0. in p "%d %d" (List.length rd) (List.length wr); set_nonblock r;
  t "again" (fun () -> string_of_int (read r b 0 1));
  let rd, _, _ = select [] [] [] 0.01 in p "%d" (List.length rd);
  t "select neg fd" (fun () -> let a, _, _ = select [ Obj.magic (-1) ] [] [] 0. in string_of_int (List.length a));
  t "select big" (fun () -> let a, _, _ = select [ Obj.magic 5000 ] [] [] 0. in string_of_int (List.length a))
