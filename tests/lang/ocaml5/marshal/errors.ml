(* Each way in which reading or writing fails. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with n -> say "%s: %d" name n | exception e -> say "%s: %s" name (Printexc.to_string e)
let read s = (Marshal.from_string s 0 : int)
let good = Marshal.to_string [1; 2; 3] []
let small data objects = let b = Buffer.create 40 in Buffer.add_string b "\x84\x95\xa6\xbe"; Buffer.add_int32_be b (Int32.of_int (String.length data)); Buffer.add_int32_be b objects; Buffer.add_int32_be b 0l; Buffer.add_int32_be b 10l; Buffer.add_string b data; Buffer.contents b
let from_channel s = let name = Filename.temp_file "m" "" in let oc = open_out_bin name in output_string oc s; close_out oc;
  let ic = open_in_bin name in Fun.protect ~finally:(fun () -> close_in ic; Sys.remove name) (fun () -> (Marshal.from_channel ic : int))
let () =
  show "empty" (fun () -> read "");
  show "short header" (fun () -> read (String.sub good 0 10));
  show "short data" (fun () -> read (String.sub good 0 (String.length good - 1)));
  show "bad magic" (fun () -> read (String.make 50 'z'));
  show "offset" (fun () -> Marshal.from_string good 1000);
  show "negative offset" (fun () -> Marshal.from_string good (-1));
  show "offset, bytes" (fun () -> Marshal.from_bytes (Bytes.of_string good) 5);
  show "data_size" (fun () -> Marshal.data_size (Bytes.of_string good) 0);
  show "data_size of garbage" (fun () -> Marshal.data_size (Bytes.make 30 'q') 0);
  show "data_size short" (fun () -> Marshal.data_size (Bytes.make 3 'q') 0);
  show "total_size" (fun () -> Marshal.total_size (Bytes.of_string good) 0);
  show "header_size" (fun () -> Marshal.header_size);
  show "channel, empty" (fun () -> from_channel ""); show "channel, short header" (fun () -> from_channel (String.sub good 0 7));
  show "channel, short" (fun () -> from_channel (String.sub good 0 (String.length good - 1)));
  show "channel, bad" (fun () -> from_channel (String.make 40 'b'));
  show "unknown custom" (fun () -> read (small "\x19nobody\000" 1l));
  show "custom with length" (fun () -> read (small "\x18nobody\000\000\000\000\000\000\000\000\000\000\000\000\000" 1l));
  show "old custom" (fun () -> read (small "\x12_i\000" 1l));
  show "bad byte" (fun () -> read (small "\x1f" 0l));
  show "bad code" (fun () -> read (small ("\x10\000\000\000\000" ^ String.make 16 '\171') 1l));
  show "closure" (fun () -> String.length (Marshal.to_string (fun x -> x) []));
  show "abstract" (fun () -> String.length (Marshal.to_string stdout []));
  show "mutex" (fun () -> String.length (Marshal.to_string (Mutex.create ()) []));
  show "compat" (fun () -> String.length (Marshal.to_string (1 lsl 40) [Marshal.Compat_32]));
  show "buffer" (fun () -> Marshal.to_buffer (Bytes.create 25) 0 25 (Array.make 100 1) []);
  show "buffer, arguments" (fun () -> Marshal.to_buffer (Bytes.create 25) 20 25 1 []);
  show "buffer, fits" (fun () -> Marshal.to_buffer (Bytes.create 25) 2 23 [1] [])
