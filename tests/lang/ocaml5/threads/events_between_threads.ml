(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Event channels: send, receive, choose, wrap, always, poll, guard. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
open Event
let () =
  let c = new_channel () and d = new_channel () in
  let producer ch n = Thread.create (fun () -> for i = 1 to n do sync (send ch i) done) () in
  let p = producer c 10 in
  say "%d" (List.fold_left (fun s _ -> s + sync (receive c)) 0 (List.init 10 Fun.id)); Thread.join p;
  let p = producer c 50 and q = producer d 30 in
  let from_c = ref 0 and from_d = ref 0 in
  for _ = 1 to 80 do match select [wrap (receive c) (fun n -> `C n); wrap (receive d) (fun n -> `D n)] with
    | `C n -> from_c := !from_c + n | `D n -> from_d := !from_d + n done;
  Thread.join p; Thread.join q; say "%d %d" !from_c !from_d;
  say "%d" (select [always 5]);
  say "%b" (poll (receive c) = None);
  say "%d" (sync (guard (fun () -> always 9)));
  let aborted = ref 0 in
  say "%d" (select [wrap_abort (receive c) (fun () -> incr aborted); always 1]); say "aborted %d" !aborted
