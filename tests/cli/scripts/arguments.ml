let verbose = ref false and names = ref []
let () = Arg.parse_argv ~current:(ref 0) Sys.argv ["-v", Arg.Set verbose, " say more"] (fun s -> names := s :: !names) "arguments"
let () = Printf.printf "%b %s\n" !verbose (String.concat "," (List.rev !names))
