(* packages: zip - compression, through files. *)
let () =
  let f = Filename.temp_file "x" ".gz" in
  let oc = Gzip.open_out f in Gzip.output_substring oc (String.concat "" (List.init 1000 string_of_int)) 0 2000; Gzip.close_out oc;
  let ic = Gzip.open_in f in let b = Bytes.create 3000 in
  let n = Gzip.input ic b 0 3000 in Printf.printf "%d %s\n" n (Digest.to_hex (Digest.subbytes b 0 n)); Gzip.close_in ic;
  let z = Filename.temp_file "x" ".zip" in
  let o = Zip.open_out z in Zip.add_entry "data" o "a/b"; Zip.close_out o;
  let i = Zip.open_in z in List.iter (fun e -> print_endline (e.Zip.filename ^ Zip.read_entry i e)) (Zip.entries i); Zip.close_in i;
  (try ignore (Zlib.uncompress (fun b -> Bytes.fill b 0 10 'x'; 10) (fun _ _ -> ())) with Zlib.Error (a,b) -> print_endline (a^b));
  Sys.remove f; Sys.remove z
