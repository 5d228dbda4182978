let pr = Printf.printf

let () =
  List.iter (fun n ->
      pr "[%d|%i|%u|%x|%X|%o]\n" n n n n n n;
      pr "[%5d|%-5d|%05d|%+d|% d|%#x|%#X|%#o|%8x|%-8x|%08X]\n" n n n n n n n n n n n;
      pr "[%.3d|%8.3d|%-8.3d|%+.4d|%#d]\n" n n n n n)
    [ 0; 1; -1; 42; -42; 123456; max_int; min_int ];
  pr "[%*d|%-*d|%.*d|%*.*d]\n" 6 42 6 42 4 42 8 4 42;
  List.iter (fun n -> pr "[%ld|%lu|%lx|%8ld|%-8ld|%+ld|%08lX|%#lx]\n" n n n n n n n n)
    [ 0l; -1l; 77l ];
  List.iter (fun n -> pr "[%Ld|%Lu|%Lx|%20Ld|%-20Ld|%+Ld|%020LX|%#Lo]\n" n n n n n n n n)
    [ 0L; -1L; 77L ];
  List.iter (fun n -> pr "[%nd|%nu|%nx|%20nd|%-20nd|%+nd|%020nX]\n" n n n n n n n)
    [ 0n; -1n; 77n ];
  pr "%s %s\n" (Int32.to_string 5l) (Printf.sprintf "%#d %#d" 1234567 (-1234567))
