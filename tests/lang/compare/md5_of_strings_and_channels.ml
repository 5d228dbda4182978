(* Digest on strings of every length around the block size, on parts, and on channels. *)
let file = Filename.temp_file "bactrian" ".md5"
let () = at_exit (fun () -> try Sys.remove file with Sys_error _ -> ())
let text n = String.init n (fun i -> Char.chr (i * 31 land 255))
let show name d = Printf.printf "%s %s\n" name (Digest.to_hex d)
let attempt name f = match f () with d -> show name d | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let () =
  for n = 0 to 140 do show (string_of_int n) (Digest.string (text n)) done;
  show "million" (Digest.string (String.make 1000000 'a'));
  let s = text 100 in
  List.iter (fun (o, n) -> attempt (Printf.sprintf "sub %d %d" o n) (fun () -> Digest.substring s o n))
    [ 0, 0; 0, 100; 1, 99; 50, 20; 100, 0; 101, 0; -1, 5; 0, 101; 5, -1; max_int, 1 ];
  let oc = open_out_bin file in
  output_string oc (text 10000);
  close_out oc;
  show "file" (Digest.file file);
  let ic = open_in_bin file in
  List.iter (fun n -> attempt (Printf.sprintf "channel %d" n) (fun () -> Digest.channel ic n)) [ 0; 1; 63; 64; 4096; 5000; -1; 0; 1 ];
  seek_in ic 9000;
  List.iter (fun n -> attempt (Printf.sprintf "channel %d" n) (fun () -> Digest.channel ic n)) [ 500; -1; -1 ];
  seek_in ic 9000;
  attempt "too many" (fun () -> Digest.channel ic 1001);
  Printf.printf "at %d\n" (pos_in ic);
  close_in ic;
  show "equal" (Digest.from_hex (Digest.to_hex (Digest.string "x")))
