(* Marshalled data made by hand: false lengths, counts, offsets and dimensions
   (CVE-2018-9838, #14615, #15019, #15030). ocamlrun 4.13.1 reads and writes beyond its memory. *)
let header ?(words = 100) ?(objects = 100) data =
  let b = Buffer.create 20 in
  Buffer.add_int32_be b 0x8495A6BEl;
  Buffer.add_int32_be b (Int32.of_int (String.length data));
  Buffer.add_int32_be b (Int32.of_int objects);
  Buffer.add_int32_be b 0l;
  Buffer.add_int32_be b (Int32.of_int words);
  Buffer.contents b ^ data

let big_header ?(length = 0) ?(objects = 100) ?(words = 100) data =
  let b = Buffer.create 32 in
  Buffer.add_int32_be b 0x8495A6BFl;
  Buffer.add_int32_be b 0l;
  Buffer.add_int64_be b (Int64.of_int (if length = 0 then String.length data else length));
  Buffer.add_int64_be b (Int64.of_int objects);
  Buffer.add_int64_be b (Int64.of_int words);
  Buffer.contents b ^ data

let refused name bytes =
  let outcome = match ignore (Sys.opaque_identity (Marshal.from_string bytes 0)) with
    | () -> "read"
    | exception Failure _ -> "Failure"
    | exception Invalid_argument _ -> "Invalid_argument"
    | exception Out_of_memory -> "Out_of_memory"
    | exception End_of_file -> "End_of_file" in
  Gc.full_major ();
  Printf.printf "%s: %s\n%!" name outcome

let () =
  refused "a string longer than the data" (header "\x09\xff");
  refused "a string of 4 GB" (header "\x0a\xff\xff\xff\xffabc");
  refused "a string of 2^62 bytes" (header "\x15\x40\x00\x00\x00\x00\x00\x00\x00abc");
  refused "a string of 2^64 - 1 bytes" (header "\x15\xff\xff\xff\xff\xff\xff\xff\xff");
  refused "a block longer than the data" (header "\x08\x00\x10\x00\x00\x41");
  refused "more words than the header says" (header ~words:1 "\xa0\x41\x42");
  List.iter (fun (objects, words) ->
      refused (Printf.sprintf "3 objects of 9 words, declared as %d of %d" objects words)
        (header ~objects ~words "\xa0\xa0\x41\x42\xa0\x41\x42"))
    [ (3, 9); (2, 9); (4, 9); (3, 8); (3, 10); (0, 9) ];
  refused "no objects, then one referred to" (header ~objects:0 "\xa0\x41\x04\x01");
  refused "an offset of 0" (header "\xa0\x41\x04\x00");
  refused "an offset before the first object" (header "\xa0\x41\x04\x05");
  refused "an offset of 2^32 - 1" (header "\xa0\x41\x06\xff\xff\xff\xff");
  refused "an offset of 2^64 - 1" (big_header "\xa0\x41\x14\xff\xff\xff\xff\xff\xff\xff\xff");
  refused "a block of tag 255" (header "\x08\x00\x00\x08\xffx");
  refused "a closure out of nowhere" (header "\x10\x00\x00\x00\x10aaaaaaaaaaaaaaaa");
  refused "an infix pointer alone" (header "\x11\x00\x00\x00\x08\xa0\x41");
  refused "floats that are not there" (header "\x0f\x00\x10\x00\x00");
  refused "2^60 floats" (header "\x17\x10\x00\x00\x00\x00\x00\x00\x00");
  refused "a double cut short" (header "\x0c\x00\x00\x00");
  refused "a custom block of unknown name" (header "\x12_x\x00");
  refused "a custom block's name that does not end" (header "\x12aaaaaaaaaaaaaaaaaaa");
  refused "an int64 cut short" (header "\x12_j\x00\x01\x02");
  refused "a custom block of false size" (header "\x18_bigarr02\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02");
  refused "a length of 2^62" (big_header ~length:(1 lsl 61) "\x41");
  refused "a length of -1" (big_header ~length:(-1) "\x41");
  refused "a length of max_int" (big_header ~length:max_int "\x41");
  refused "a length of min_int" (big_header ~length:min_int "\x41");
  refused "2^62 objects" (big_header ~objects:(1 lsl 61) "\xa0\x41");
  refused "2^62 words" (big_header ~words:(1 lsl 61) "\xa0\x41");
  refused "-1 objects" (big_header ~objects:(-1) "\xa0\x41");
  refused "nothing" (header "");
  refused "an unknown code" (header "\x1f");
  refused "ends in a block" (header "\xb0\x41")

(* ---- Bigarrays. ---- *)

(* A marshalled bigarray of 2 times 2 bytes, with other numbers in it. *)
let bigarray ?(rank = 2) ?(kind = 3) dims elements =
  let good = Marshal.to_string (Bigarray.(Array2.of_array int8_unsigned c_layout) [| [| 1; 2 |]; [| 3; 4 |] |]) [] in
  let at = 20 + String.index (String.sub good 20 (String.length good - 20)) '\000' + 13 in
  let b = Buffer.create 50 in
  Buffer.add_string b (String.sub good 20 (at - 20));
  Buffer.add_int32_be b (Int32.of_int rank);
  Buffer.add_int32_be b (Int32.of_int kind);
  List.iter
    (fun d ->
      if d >= 0 && d < 0xffff then Buffer.add_uint16_be b d
      else (Buffer.add_uint16_be b 0xffff; Buffer.add_int64_be b (Int64.of_int d)))
    dims;
  Buffer.add_string b elements;
  let data = Buffer.contents b in
  let head = Bytes.of_string (String.sub good 0 20) in
  Bytes.set_int32_be head 4 (Int32.of_int (String.length data));
  Bytes.to_string head ^ data

let () =
  refused "a good one" (bigarray [ 2; 2 ] "abcd");
  refused "a good one of other dimensions" (bigarray [ 1; 4 ] "abcd");
  refused "dimensions whose product overflows" (bigarray [ 1 lsl 32; 1 lsl 32 ] "abcd");
  refused "dimensions that make 4 by overflow" (bigarray [ (1 lsl 61) + 1; 4 ] "abcd");
  refused "a negative dimension" (bigarray [ -4; -1 ] "abcd");
  refused "a size in bytes that overflows" (bigarray ~kind:1 [ 1 lsl 60; 2 ] "abcdefgh");
  refused "missing elements" (bigarray [ 10000; 1 ] "abc");
  refused "17 dimensions" (bigarray ~rank:17 (List.init 17 (fun _ -> 1)) "a");
  refused "no dimension" (bigarray ~rank:0 [] "a");
  refused "an unknown kind" (bigarray ~kind:200 [ 1; 1 ] "a")
