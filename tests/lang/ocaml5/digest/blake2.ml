(* BLAKE128, 256, 512 of strings, bytes, channels and files of many lengths. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let all name (module D : Digest.S) =
  List.iter (fun s -> say "%s %S: %s" name s (D.to_hex (D.string s))) [""; "a"; "abc"; "message digest"];
  List.iter (fun n -> say "%s %d: %s" name n (D.to_hex (D.string (String.init n (fun i -> Char.chr (i land 255)))))) [63; 64; 65; 127; 128; 129; 255; 256; 1000; 100_000];
  let s = String.init 300 (fun i -> Char.chr (i * 7 land 255)) in
  say "%b %b" (D.equal (D.substring s 10 200) (D.string (String.sub s 10 200))) (D.equal (D.subbytes (Bytes.of_string s) 5 290) (D.string (String.sub s 5 290)));
  (match D.substring s 200 200 with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e));
  let name' = Filename.temp_file "d" "" in
  Out_channel.with_open_bin name' (fun oc -> for i = 1 to 30_000 do output_string oc (string_of_int i) done);
  say "%s file %s" name (D.to_hex (D.file name'));
  In_channel.with_open_bin name' (fun ic -> say "%s" (D.to_hex (D.channel ic 1000)); say "%s" (D.to_hex (D.channel ic (-1))));
  In_channel.with_open_bin name' (fun ic -> match D.channel ic 10_000_000 with _ -> say "?" | exception End_of_file -> say "end of file");
  say "%b %d" (D.of_hex (D.to_hex (D.string "x")) = D.string "x") (compare (D.string "a") (D.string "b"));
  (match D.of_hex "12" with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e));
  let oc = Buffer.create 10 in ignore oc; Sys.remove name'
let () = all "BLAKE128" (module Digest.BLAKE128); all "BLAKE256" (module Digest.BLAKE256); all "BLAKE512" (module Digest.BLAKE512); all "MD5" (module Digest.MD5)
