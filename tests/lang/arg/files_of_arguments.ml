let () =
  Arg.write_arg "args.txt" [| "one"; "two words"; "-x" |];
  Array.iter print_endline (Arg.read_arg "args.txt");
  Arg.write_arg0 "args0.bin" [| "a\nb"; "c" |];
  Array.iter (fun s -> print_endline (String.escaped s)) (Arg.read_arg0 "args0.bin");
  let expanded = ref [||] in
  let argv = ref [| "prog"; "-args"; "args.txt"; "last" |] in
  let current = ref 0 in
  Arg.parse_and_expand_argv_dynamic current argv
    (ref [ ("-args", Arg.Expand Arg.read_arg, " read"); ("-x",
        Arg.Unit (fun () -> print_endline "x!"), "") ])
    (fun s -> expanded := Array.append !expanded [| s |]) "usage";
  print_endline (String.concat "|" (Array.to_list !expanded));
  Printf.printf "%d %d\n" !current (Array.length !argv)
