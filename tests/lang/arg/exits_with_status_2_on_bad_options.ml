(* args: -bad *)
let () = Arg.parse [ ("-n", Arg.Int ignore, "<n> number") ] ignore "usage: prog [-n <n>]"
