(* Arrays, records and byte strings written here and read there, in step. *)
type r = { mutable a : int; mutable b : string; mutable f : float; mutable l : int list }
let () =
  let r = { a = 0; b = ""; f = 0.; l = [] } and cells = Array.make 1000 "" and floats = Array.make 100 0. and ready = Atomic.make 0 in
  let writer = Domain.spawn (fun () ->
    for i = 1 to 50 do
      while Atomic.get ready <> 2 * (i - 1) do Domain.cpu_relax () done;
      r.a <- i; r.b <- string_of_int i; r.f <- float i; r.l <- i :: r.l;
      cells.(i * 19 mod 1000) <- String.make i 'c'; floats.(i) <- float i *. 0.5; if i mod 10 = 0 then Gc.minor ();
      Atomic.incr ready done) in
  let sum = ref 0 in
  for i = 1 to 50 do
    while Atomic.get ready <> (2 * i) - 1 do Domain.cpu_relax () done;
    sum := !sum + r.a + String.length r.b + int_of_float r.f + List.length r.l + String.length cells.(i * 19 mod 1000) + int_of_float (2. *. floats.(i));
    if i mod 7 = 0 then Gc.full_major (); r.b <- r.b ^ "seen"; Atomic.incr ready done;
  Domain.join writer; Printf.printf "%d %s %d\n" !sum r.b (List.fold_left ( + ) 0 r.l)
