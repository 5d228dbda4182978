let () =
  let open Scanf in
  sscanf "12 -7 0x1F 0b11 077 'c' \"str\\n\" 1.5e3 true word" "%d %i %x %i %o %C %S %f %B %s"
    (fun a b c d e f g h i j -> Printf.printf "%d %d %d %d %d %C %S %g %b %s\n" a b c d e f g h i
        j);
  sscanf "abc123" "%3s%3d" (fun s n -> Printf.printf "%s %d\n" s n);
  sscanf "key = value;" "%[a-z] = %[^;];" (fun k v -> Printf.printf "%s -> %s\n" k v);
  sscanf "1,2,3" "%d,%d,%d%!" (fun a b c -> Printf.printf "%d\n" (a + b + c));
  sscanf "x y" "%c%_c%c%n%N" (fun a b n m -> Printf.printf "%c%c %d %d\n" a b n m);
  sscanf "123l 456L 789n" "%ldl %LdL %ndn" (fun a b c -> Printf.printf "%ld %Ld %nd\n" a b c);
  sscanf "99 bottles" "%u %s@\n" (fun n s -> Printf.printf "%d %s\n" n s);
  sscanf "line one\nline two" "%s@\n%s@\n" (fun a b -> Printf.printf "%s|%s\n" a b);
  sscanf "\"%i\" 42 43" "%(%d%) %d" (fun f n m -> Printf.printf f n; Printf.printf "|%d %d\n" n m)
