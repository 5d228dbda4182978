let () =
  let v = [ "some"; "value" ] in
  let s = Marshal.to_bytes v [] in
  Printf.printf "%d %d %d\n" Marshal.header_size (Marshal.data_size s 0) (Marshal.total_size s 0);
  let buf = Bytes.make 100 '.' in
  let n = Marshal.to_buffer buf 10 90 v [] in
  Printf.printf "%d %b\n" n (Marshal.from_bytes buf 10 = v);
  let attempt f = match f () with
    | () -> print_endline "ok"
    | exception Failure m -> print_endline ("Failure " ^ m)
    | exception Invalid_argument m -> print_endline ("Invalid_argument " ^ m)
    | exception End_of_file -> print_endline "End_of_file"
  in
  attempt (fun () -> ignore (Marshal.to_buffer buf 0 10 v []));
  attempt (fun () -> ignore (Marshal.to_buffer buf 90 20 v []));
  attempt (fun () -> ignore (Marshal.data_size (Bytes.make 5 'x') 0));
  attempt (fun () -> ignore (Marshal.data_size (Bytes.make 30 'x') 0));
  attempt (fun () -> ignore (Marshal.total_size (Bytes.make 30 'x') 20));
  attempt (fun () -> ignore (Marshal.from_string "short" 0));
  attempt (fun () -> ignore (Marshal.from_string (String.make 40 'x') 0));
  attempt (fun () -> ignore (Marshal.from_bytes (Bytes.sub s 0 22) 0));
  attempt (fun () -> ignore (Marshal.from_bytes s (-1)));
  attempt (fun () -> ignore (Marshal.to_string 0x7FFFFFFFFF [ Marshal.Compat_32 ]));
  attempt (fun () -> ignore (Marshal.to_string 5 [ Marshal.Compat_32 ]));
  attempt (fun () -> ignore (Marshal.to_string [| Nativeint.shift_left 1n 40 |]
                              [ Marshal.Compat_32 ]))
