let () =
  let oc = open_out_bin "src" in
  for i = 0 to 299_999 do output_byte oc (i * i) done;
  close_out oc;
  let copy size =
    let ic = open_in_bin "src" and oc = open_out_bin "dst" in
    let b = Bytes.create size in
    let rec go () = match input ic b 0 size with 0 -> () | n -> output oc b 0 n; go () in
    go ();
    close_in ic; close_out oc;
    Digest.to_hex (Digest.file "dst")
  in
  List.iter (fun n -> print_endline (copy n)) [ 1000; 65535; 65536; 65537; 400_000 ];
  let ic = open_in_bin "src" in
  let n = ref 0 in
  (try while true do n := (!n * 31 + Char.code (input_char ic)) land 0xFFFFFF done with
      End_of_file -> ());
  Printf.printf "%d\n" !n
