(* Semaphore.Counting and Semaphore.Binary between domains. *)
module C = Semaphore.Counting
module B = Semaphore.Binary
let () =
  let s = C.make 2 in
  let inside = Atomic.make 0 and most = Atomic.make 0 and total = Atomic.make 0 in
  let work () =
    for _ = 1 to 100 do
      C.acquire s;
      let n = 1 + Atomic.fetch_and_add inside 1 in
      if n > Atomic.get most then Atomic.set most n;
      Domain.cpu_relax ();
      Atomic.incr total;
      Atomic.decr inside;
      C.release s
    done in
  List.iter Domain.join (List.init 5 (fun _ -> Domain.spawn work));
  Printf.printf "%d %b %d\n" (Atomic.get total) (Atomic.get most <= 2) (C.get_value s);
  Printf.printf "%b %b %b\n" (C.try_acquire s) (C.try_acquire s) (C.try_acquire s);
  let ping = B.make false and pong = B.make false in
  let d = Domain.spawn (fun () -> for _ = 1 to 200 do B.acquire ping; B.release pong done) in
  for _ = 1 to 200 do B.release ping; B.acquire pong done;
  Domain.join d;
  Printf.printf "%b %b\n" (B.try_acquire ping) (B.try_acquire pong);
  B.release ping; B.release ping;
  Printf.printf "%b %b\n" (B.try_acquire ping) (B.try_acquire ping);
  (match C.make (-1) with _ -> () | exception Invalid_argument m -> print_endline m);
  match let s = C.make max_int in C.release s with
  | () -> () | exception Sys_error m -> print_endline m
