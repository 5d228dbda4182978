(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* What the standard library keeps for each domain: Random, Format, Filename. *)
let run f = Domain.join (Domain.spawn f)
let () =
  Random.init 42;
  let a = Random.bits () in
  Random.init 42;
  let inside = run (fun () -> Random.init 42; Random.bits ()) in
  Printf.printf "%b %b\n" (a = inside) (Random.bits () = a);
  Random.init 1;
  let x = run (fun () -> Random.int 1000) in
  Random.init 1;
  let y = run (fun () -> Random.int 1000) in
  Printf.printf "split the same way: %b\n" (x = y);
  Format.set_margin 40;
  Printf.printf "%d %d\n" (Format.get_margin ()) (run Format.get_margin);
  Format.printf "@[<v 2>main@,line@]@.";
  run (fun () -> Format.printf "@[<v 2>domain@,line@]@.");
  run (fun () -> Format.printf "unflushed in a domain");
  Format.printf " and main@.";
  Thread.join (Thread.create (fun () -> Format.printf "thread@.") ());
  run (fun () -> Filename.set_temp_dir_name "/nowhere");
  Printf.printf "%s\n" (Filename.get_temp_dir_name ());
  Printf.printf "%d\n" (Hashtbl.hash (run (fun () -> "x")));
  let h = Hashtbl.create 1 in
  run (fun () -> for i = 1 to 100 do Hashtbl.replace h i (string_of_int i) done);
  Printf.printf "%d %s\n" (Hashtbl.length h) (Hashtbl.find h 77);
  let l = Lazy.from_fun (fun () -> run (fun () -> 9)) in
  Printf.printf "%d\n" (Lazy.force l);
  let l = lazy (6 * 7) in
  Printf.printf "%d %d\n" (run (fun () -> Lazy.force l)) (Lazy.force l)
