(* What example.c runs: a price list that knows its rates from the host program. *)
external rate : string -> float = "host_rate"

let gross country net = net *. (1. +. rate country)

let statistics country nets =
  let all = List.map (gross country) nets in
  (List.length all, List.fold_left ( +. ) 0. all)

let () =
  Callback.register "statistics" statistics;
  Callback.register "spin" (fun () -> while true do ignore (Sys.opaque_identity (ref 0)) done);
  Printf.printf "prices are ready\n"
