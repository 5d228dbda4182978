(* Compressed values whose headers have a length below 5, or numbers that go beyond it: sizes, and
   what Marshal.from_string says where nothing can be unpacked. *)
let show f = try f () with e -> print_endline (Printexc.to_string e)

let () =
  let bodies =
    [ String.make 20 '\000'; String.make 60 '\001'; "\129\001" ^ String.make 40 '\002';
      String.make 30 '\129' ^ String.make 30 '\000' ]
  in
  List.iter
    (fun length ->
      List.iter
        (fun body ->
          let data = Printf.sprintf "\132\149\166\189%c%s" (Char.chr length) body in
          Printf.printf "%d: " length;
          show (fun () -> Printf.printf "%d " (Marshal.data_size (Bytes.of_string data) 0));
          show (fun () -> ignore (Marshal.from_string data 0 : int)))
        bodies)
    [ 0; 1; 2; 3; 4; 5; 6; 8; 9; 10; 11; 20; 63; 64; 65; 128; 255 ]
