let try_ name f =
  (try f (); print_string "ok" with e -> print_string (Printexc.to_string e));
  Printf.printf " <- %s\n" name

let () =
  let oc = open_out "/dev/full" in
  let pos () = Printf.printf "at %d\n" (pos_out oc) in
  try_ "small" (fun () -> output_string oc "abc");
  pos ();
  try_ "flush" (fun () -> flush oc);
  pos ();
  try_ "to the brim" (fun () -> output_string oc (String.make 65532 'x'));
  pos ();
  try_ "one more" (fun () -> output_char oc 'y');
  pos ();
  try_ "another" (fun () -> output_char oc 'z');
  pos ();
  try_ "big" (fun () -> output_string oc (String.make 200000 'x'));
  pos ();
  try_ "printf" (fun () -> Printf.fprintf oc "%d" 3);
  try_ "seek" (fun () -> seek_out oc 0);
  try_ "close" (fun () -> close_out oc);
  pos ();
  try_ "close_noerr" (fun () -> close_out_noerr oc);
  try_ "flush after close" (fun () -> flush oc)
