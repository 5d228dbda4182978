(* Domains that wait for each other in loops, with and without Domain.cpu_relax. *)
let wait_relaxed flag n = while Atomic.get flag <> n do Domain.cpu_relax () done
let wait_busy flag n = while Atomic.get flag <> n do () done

let ping_pong wait rounds =
  let turn = Atomic.make 0 in
  let other = Domain.spawn (fun () ->
      for i = 0 to rounds - 1 do wait turn (2 * i + 1); Atomic.set turn (2 * i + 2) done) in
  for i = 0 to rounds - 1 do Atomic.set turn (2 * i + 1); wait turn (2 * i + 2) done;
  Domain.join other;
  Atomic.get turn

(* All meet, several times. *)
let barrier wait n rounds =
  let arrived = Atomic.make 0 and sum = Atomic.make 0 in
  let work id () =
    for r = 1 to rounds do
      ignore (Atomic.fetch_and_add sum id);
      Atomic.incr arrived;
      let rec all () = if Atomic.get arrived < n * r then (wait (); all ()) in
      all ()
    done in
  let domains = List.init n (fun i -> Domain.spawn (work i)) in
  List.iter Domain.join domains;
  Atomic.get sum

(* A lock made of an atomic. *)
let spin_lock n rounds =
  let locked = Atomic.make false and counter = ref 0 in
  let work () =
    for _ = 1 to rounds do
      while not (Atomic.compare_and_set locked false true) do Domain.cpu_relax () done;
      counter := !counter + 1;
      Atomic.set locked false
    done in
  let domains = List.init n (fun _ -> Domain.spawn work) in
  work ();
  List.iter Domain.join domains;
  !counter

(* The caller allocates while it waits. *)
let allocating_wait () =
  let ready = Atomic.make [] in
  let d = Domain.spawn (fun () -> Atomic.set ready [ 1; 2; 3 ]) in
  let n = ref 0 in
  while Atomic.get ready = [] do n := List.length (List.init 10 Fun.id) done;
  Domain.join d;
  List.fold_left (+) 0 (Atomic.get ready)

let () =
  Printf.printf "%d\n" (ping_pong wait_relaxed 2000);
  Printf.printf "%d\n" (ping_pong wait_busy 100);
  Printf.printf "%d\n" (barrier Domain.cpu_relax 4 200);
  Printf.printf "%d\n" (barrier ignore 3 20);
  Printf.printf "%d\n" (spin_lock 3 2000);
  Printf.printf "%d\n" (allocating_wait ());
  Domain.cpu_relax ();
  print_endline "alone"
