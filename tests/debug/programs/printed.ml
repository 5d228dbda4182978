type pair = { name : string; action : int -> int }

let use p (channel : out_channel) =
  let r = p.action 20 in
  ignore channel;
  r

let () =
  let p = { name = "doubler"; action = (fun x -> 2 * x) } in
  print_int (use p stdout);
  print_newline ()
