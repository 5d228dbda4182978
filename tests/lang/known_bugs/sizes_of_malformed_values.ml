(* What Marshal's functions of sizes say of lengths that are near the end of integers (#15030). *)
let big_header ?(length = 0) data =
  let b = Buffer.create 32 in
  Buffer.add_int32_be b 0x8495A6BFl;
  Buffer.add_int32_be b 0l;
  Buffer.add_int64_be b (Int64.of_int (if length = 0 then String.length data else length));
  Buffer.add_int64_be b 1L;
  Buffer.add_int64_be b 1L;
  Buffer.contents b ^ data

let () =
  let size name f = Printf.printf "%s: %s\n" name
    (match f () with n -> string_of_int n | exception e -> Printexc.to_string e) in
  let bytes s = Bytes.of_string s in
  size "total of 2^61" (fun () -> Marshal.total_size (bytes (big_header ~length:(1 lsl 61) "")) 0);
  size "total of max_int" (fun () -> Marshal.total_size (bytes (big_header ~length:max_int "")) 0);
  size "total of -1" (fun () -> Marshal.total_size (bytes (big_header ~length:(-1) "")) 0);
  size "data of -1" (fun () -> Marshal.data_size (bytes (big_header ~length:(-1) "")) 0);
  size "data of min_int" (fun () -> Marshal.data_size (bytes (big_header ~length:min_int "")) 0)
