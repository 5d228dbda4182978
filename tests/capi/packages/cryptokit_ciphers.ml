(* packages: cryptokit - digests, ciphers, streams. *)
let () =
  let h = Cryptokit.Hash.sha256 () in
  let hex s = Cryptokit.transform_string (Cryptokit.Hexa.encode ()) s in
  print_endline (hex (Cryptokit.hash_string h "hello"));
  print_endline (hex (Cryptokit.hash_string (Cryptokit.Hash.md5 ()) (String.make 1000 'x')));
  let key = String.init 16 Char.chr in
  let enc = Cryptokit.transform_string (Cryptokit.Cipher.aes key ~pad:Cryptokit.Padding.length Cryptokit.Cipher.Encrypt) "some secret text that is long" in
  print_endline (hex enc);
  print_endline (Cryptokit.transform_string (Cryptokit.Cipher.aes key ~pad:Cryptokit.Padding.length Cryptokit.Cipher.Decrypt) enc);
  let z = Cryptokit.transform_string (Cryptokit.Zlib.compress ()) (String.make 10000 'a') in
  Printf.printf "%d\n" (String.length z);
  print_endline (string_of_int (String.length (Cryptokit.transform_string (Cryptokit.Zlib.uncompress ()) z)));
  (try ignore (Cryptokit.transform_string (Cryptokit.Zlib.uncompress ()) "garbage") with Cryptokit.Error _ -> print_endline "error")
