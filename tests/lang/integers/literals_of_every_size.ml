let () =
  List.iter (Printf.printf "%d ")
    [ 0; 1; 2; 3; 4; -1; -2; 127; 128; 255; 256; -128; -129; 32767; 32768; -32768; -32769; 65535;
      65536; 0x3FFFFFFF; 0x40000000; -0x40000000; -0x40000001; 0x7FFFFFFF; 0x80000000; 0xFFFFFFFF;
      0x100000000; 1_000_000_000_000_000_000; -1_000_000_000_000_000_000; 0x3FFFFFFFFFFFFFFF;
      -0x4000000000000000; 0o777; 0b1010; 0xdeadbeef; 0x7FFFFFFFFFFFFFFF ];
  print_newline ();
  List.iter (Printf.printf "%ld ") [ 0l; 1l; -1l; 0x7FFFFFFFl; -0x80000000l; 0xFFFFFFFFl ];
  List.iter (Printf.printf "%Ld ") [ 0L; -1L; 0x7FFFFFFFFFFFFFFFL; -0x8000000000000000L ];
  List.iter (Printf.printf "%nd ") [ 0n; -1n; 0x7FFFFFFFFFFFFFFFn; 0xFFFFFFFFFFFFFFFFn ];
  print_newline ()
