(* ocaml5: no: it has no Stream *)
let show s = Stream.iter (Printf.printf "%d ") s; print_newline ()

let () =
  let s = Stream.from (fun n -> if n < 5 then Some (n * n) else None) in
  Printf.printf "%b %d %d\n" (Stream.peek s = Some 0) (Stream.next s) (Stream.count s);
  List.iter (Printf.printf "%d ") (Stream.npeek 3 s);
  Stream.junk s;
  show s;
  Stream.empty s;
  let t = Stream.of_string "ab" in
  Printf.printf "%c%c\n" (Stream.next t) (Stream.next t);
  (try ignore (Stream.next t) with Stream.Failure -> print_endline "Stream.Failure");
  (try Stream.empty (Stream.of_list [ 1 ]) with Stream.Failure -> print_endline "not empty");
  show (Stream.icons 1 (Stream.iapp (Stream.of_list [ 2; 3 ]) (Stream.ising 4)));
  show (Stream.lcons (fun () -> 9) (Stream.slazy (fun () -> Stream.of_list [ 8 ])));
  show (Stream.lapp (fun () -> Stream.of_list [ 1 ]) (Stream.lsing (fun () -> 2)));
  show Stream.sempty;
  Printf.printf "%c\n" (Stream.next (Stream.of_bytes (Bytes.of_string "z")));
  let oc = open_out "s.txt" in
  output_string oc "channel";
  close_out oc;
  let ic = open_in "s.txt" in
  Stream.iter print_char (Stream.of_channel ic);
  print_newline ()
