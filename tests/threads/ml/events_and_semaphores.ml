open Event

let rec sieve n input output =
  if n = 0 then () else begin
    let p = sync (receive input) in
    sync (send output p);
    let next = new_channel () in
    ignore (Thread.create (fun () ->
      while true do
        let x = sync (receive input) in
        if x mod p <> 0 then sync (send next x)
      done) ());
    sieve (n - 1) next output
  end

let () =
  let numbers = new_channel () and primes = new_channel () in
  ignore (Thread.create (fun () -> let i = ref 2 in
    while true do sync (send numbers !i); incr i done) ());
  ignore (Thread.create (fun () -> sieve 20 numbers primes) ());
  for _ = 1 to 20 do Printf.printf "%d " (sync (receive primes)) done;
  print_newline ();
  let a = new_channel () and b = new_channel () in
  ignore (Thread.create (fun () -> sync (send b "b")) ());
  print_endline (select [receive a; wrap (receive b) (fun s -> s ^ "!"); wrap_abort (receive a) ignore]);
  Printf.printf "%b\n" (poll (receive a) = None);
  let s = Semaphore.Counting.make 2 in
  let inside = ref 0 and most = ref 0 in
  let ts = List.init 6 (fun _ -> Thread.create (fun () ->
    Semaphore.Counting.acquire s;
    incr inside; most := max !most !inside;
    Thread.yield ();
    decr inside;
    Semaphore.Counting.release s) ()) in
  List.iter Thread.join ts;
  Printf.printf "at most %b\n" (!most <= 2)
