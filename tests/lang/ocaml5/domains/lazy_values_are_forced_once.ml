(* Forced in another domain; forced while another domain forces it raises Undefined. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let inside f = Domain.join (Domain.spawn f)
let () =
  let runs = Atomic.make 0 in
  let l = lazy (Atomic.incr runs; 42) in
  let a = inside (fun () -> Lazy.force l) in
  let b = Lazy.force l in
  say "%d %d %d" a b (Atomic.get runs);
  let entered = Atomic.make false and leave = Atomic.make false in
  let slow = lazy (Atomic.set entered true; while not (Atomic.get leave) do Domain.cpu_relax () done; 7) in
  let d = Domain.spawn (fun () -> Lazy.force slow) in
  while not (Atomic.get entered) do Domain.cpu_relax () done;
  (match Lazy.force slow with n -> say "%d" n | exception CamlinternalLazy.Undefined -> say "undefined");
  say "%b" (Lazy.is_val slow);
  Atomic.set leave true;
  let n = Domain.join d in
  say "%d %d %b" n (Lazy.force slow) (Lazy.is_val slow);
  let failing = lazy (Atomic.incr runs; failwith "once") in
  let attempt () = match Lazy.force failing with () -> "?" | exception Failure s -> s in
  let a = inside attempt in
  let b = attempt () in
  say "%s %s %s %d" a b (inside attempt) (Atomic.get runs)
