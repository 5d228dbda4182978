(* packages: ssl - contexts and ciphers of OpenSSL; its library waits without the runtime lock. *)
let () =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  Ssl.init ();
  let c = Ssl.create_context Ssl.TLSv1_2 Ssl.Client_context in
  Ssl.set_cipher_list c "HIGH";
  (try Ssl.set_cipher_list c "NO-SUCH-CIPHER" with e -> print_endline (Printexc.exn_slot_name e));
  (try Ssl.use_certificate c "/no/such" "/no/such" with Ssl.Certificate_error _ -> print_endline "no certificate");
  let client, server = Unix.socketpair Unix.PF_UNIX Unix.SOCK_STREAM 0 in
  Unix.close server;
  let s = Ssl.embed_socket client c in
  (try Ssl.connect s with Ssl.Connection_error _ -> print_endline "no connection");
  Printf.printf "%b\n" (Ssl.file_descr_of_socket s = client);
  (try ignore (Ssl.read s (Bytes.create 4) 2 3) with Invalid_argument m -> print_endline m);
  Gc.full_major ();
  print_endline "end"
