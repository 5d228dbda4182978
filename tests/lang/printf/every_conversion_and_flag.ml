(* ocaml5: no: %-5c is an error *)
let pr = Printf.printf

let () =
  pr "%d %i %u %x %X %o %c %C %s %S %b %B %f %e %g %F %h %t %a %%%!\n" 1 (-2) 3 255 255 8
      'c' '\n' "s"
    "q\"\n\000\200" true false 1.5 2.5 3.5 4.0 5.0 (fun oc -> output_string oc "[t]")
    (fun oc n -> output_string oc (string_of_int n)) 42;
  pr "[%5s|%-5s|%5c|%-5c|%5S|%8b|%-8b|%5B]\n" "ab" "ab" 'x' 'x' "q" true false true;
  pr "[%*s|%-*s|%2s]\n" 6 "abc" 6 "abc" "longer";
  pr "[%5d|%-5d|%05d|%+5d|% 5d|%+05d|%-+5d]\n" 42 42 42 42 42 42 42;
  pr "[%10.3f|%-10.3f|%010.3f|%+.3f|%.0f|%#.0f]\n" 3.14159 3.14159 3.14159 3.14159 2.5 2.5;
  pr "[%*.*f|%.*e]\n" 10 2 3.14159 3 31415.9;
  pr "%ld %Ld %nd %lx %LX %nu\n" 1l 2L 3n 255l 255L 7n;
  pr "%(%d%s%) %{%d%}\n" "%d-%s" 5 "five" "%d";
  pr "@@ @[ %@ \\ %d@." 1;
  pr "\n";
  pr "%s%s%s%s%s%s%s%s%s%s\n" "a" "b" "c" "d" "e" "f" "g" "h" "i" "j";
  let part = Printf.sprintf "%d-%d-%d" in
  let part = part 1 in
  print_endline (part 2 3);
  print_endline (part 4 5);
  print_endline (Printf.sprintf "%s" (Printf.sprintf "%S" "nested\t"));
  Printf.ifprintf stdout "%d %s %t" 1 "x" (fun _ -> assert false);
  print_endline (Printf.ksprintf String.uppercase_ascii "k %d %s" 1 "x");
  Printf.kfprintf (fun oc -> output_string oc "!\n") stdout "%d" 7;
  Printf.ikfprintf (fun () -> print_endline "ik") () "%d" 7;
  Printf.eprintf "to stderr %d\n" 3;
  let f : (_, _, _, _, _, _) format6 = "%d and %s\n" in
  pr f 1 "f";
  pr (f ^^ "then %c\n") 2 "g" 'h';
  print_endline (string_of_format f);
  pr (Scanf.format_from_string "x=%d\n" "%i") 9;
  pr "%a %a\n" (fun oc (a, b) -> Printf.fprintf oc "<%d,%d>" a b) (1, 2) output_string "str"
