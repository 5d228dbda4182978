(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* System calls release the runtime lock: those who read wait while others write. *)
let () =
  let input, output = Unix.pipe () and back_in, back_out = Unix.pipe () in
  let reader = Domain.spawn (fun () ->
    let b = Bytes.create 1 in
    let n = ref 0 in
    while Unix.read input b 0 1 = 1 do
      n := !n + Char.code (Bytes.get b 0);
      ignore (Unix.write back_out b 0 1)
    done;
    !n) in
  let b = Bytes.create 1 in
  let t = Thread.create (fun () -> let s = ref 0 in for _ = 1 to 100 do ignore (Unix.read back_in b 0 1); s := !s + Char.code (Bytes.get b 0) done; Printf.printf "thread: %d\n%!" !s) () in
  for i = 1 to 100 do ignore (Unix.write output (Bytes.make 1 (Char.chr i)) 0 1) done;
  Thread.join t;
  Unix.close output;
  Printf.printf "domain: %d\n" (Domain.join reader);
  let m = Mutex.create () in
  let ds = List.init 3 (fun i -> Domain.spawn (fun () -> Unix.sleepf 0.01; Mutex.protect m (fun () -> i))) in
  Printf.printf "%d\n" (List.fold_left (fun s d -> s + Domain.join d) 0 ds)
