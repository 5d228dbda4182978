let spec = Arg.align [ ("-n", Arg.Int ignore, "<n> a number"); ("-s", Arg.Symbol ([ "x"; "y" ],
    ignore), " sym");
                       ("-f", Arg.Float ignore, "<f> float"); ("-b", Arg.Bool ignore, "<b> bool");
                       ("-u", Arg.Unit ignore, " unit"); ("-e", Arg.Expand (fun s -> [| "-n";
                           s |]), " expand") ]

let attempt args =
  let current = ref 0 in
  match Arg.parse_argv ~current (Array.of_list ("prog" :: args)) spec (fun s -> print_endline
      ("anon " ^ s))
          "usage: prog" with
  | () -> print_endline "ok"
  | exception Arg.Bad m -> Printf.printf "Bad at %d: %s" !current m
  | exception Arg.Help m -> Printf.printf "Help: %s" m

let () =
  List.iter attempt
    [ [ "-n"; "5" ]; [ "-n"; "x" ]; [ "-n" ]; [ "-s"; "z" ]; [ "-f"; "q" ]; [ "-b"; "maybe" ];
        [ "-zzz" ];
      [ "-help" ]; [ "--help" ]; [ "-u=3" ]; [ "-n=7" ]; [ "a"; "b" ] ]
