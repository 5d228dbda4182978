let s = "a\000b\000\000c"

let () =
  Printf.printf "%d %S\n" (String.length s) s;
  Printf.printf "%d %d\n" (String.index s '\000') (String.rindex s '\000');
  print_string (String.escaped (s ^ "\000" ^ s));
  print_newline ();
  Printf.printf "%d %d %d\n" (compare "a" "a\000") (compare "a\000" "a") (compare "a\000b" "a\001");
  Printf.printf "%b %b\n" ("\000" = "\000\000") (s = String.concat "\000" [ "a"; "b"; ""; "c" ]);
  print_string s;
  print_newline ();
  for n = 0 to 17 do
    let t = String.make n 'x' in
    Printf.printf "%d:%d:%b " n (String.length t) (t = String.init n (fun _ -> 'x'))
  done;
  print_newline ();
  Printf.printf "%s\n" (Digest.to_hex (Digest.string s))
