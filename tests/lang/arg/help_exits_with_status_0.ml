(* args: --help *)
let () = Arg.parse [ ("-n", Arg.Int ignore, "<n> number"); ("-long-option", Arg.Unit ignore,
    " text") ]
    ignore "usage: prog [-n <n>]"
