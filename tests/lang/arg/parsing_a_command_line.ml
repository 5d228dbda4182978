(* args: -v -n 5 -f 2.5 --name "Joe Bloggs" file1 -set -choose b -tuple x 7 file2 -- rest -v *)
let () =
  let verbose = ref false and n = ref 0 and f = ref 0.0 and name = ref "" and files = ref [] in
  let flag = ref false and cleared = ref true and choice = ref "" and pair = ref ("", 0) in
  let rest = ref [] in
  let spec =
    [ ("-v", Arg.Set verbose, "be verbose"); ("-n", Arg.Set_int n, "<n> number");
      ("-f", Arg.Set_float f, "<f> float"); ("--name", Arg.Set_string name, "<s> name");
      ("-set", Arg.Unit (fun () -> flag := true), " set"); ("-clear", Arg.Clear cleared, " clear");
      ("-choose", Arg.Symbol ([ "a"; "b" ], fun s -> choice := s), " choose");
      ("-tuple", Arg.Tuple [ Arg.String (fun s -> pair := (s, 0));
                             Arg.Int (fun i -> pair := (fst !pair, i)) ], " tuple");
      ("-bool", Arg.Bool ignore, " bool"); ("--", Arg.Rest (fun s -> rest := s :: !rest), " rest") ]
  in
  Arg.parse spec (fun s -> files := s :: !files) "usage: prog [options]";
  Printf.printf "%b %d %g %s %b %b %s %s%d\n" !verbose !n !f !name !flag !cleared !choice (fst
      !pair)
    (snd !pair);
  print_endline (String.concat "," (List.rev !files) ^ " | " ^ String.concat "," (List.rev !rest));
  print_string (Arg.usage_string (Arg.align spec) "usage:")
