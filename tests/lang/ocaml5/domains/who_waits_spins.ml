(* Two domains wait for each other in turn, with and without cpu_relax. *)
let rounds = 200
let play relax =
  let turn = Atomic.make 0 in
  let log = Array.make (2 * rounds) (-1) in
  let player me () =
    for i = 0 to rounds - 1 do
      while Atomic.get turn land 1 <> me do relax () done;
      log.(Atomic.get turn) <- me;
      Atomic.incr turn
    done in
  let a = Domain.spawn (player 0) and b = Domain.spawn (player 1) in
  Domain.join a; Domain.join b;
  let good = ref 0 in
  Array.iteri (fun i m -> if m = i land 1 then incr good) log;
  Printf.printf "%d of %d\n%!" !good (2 * rounds)
let () = play Domain.cpu_relax; play (fun () -> for i = 1 to 10 do ignore (Sys.opaque_identity i) done)
