(* Allocates known blocks under a profile of its own at rate ARGV(1), and exits with 1 if that saw
   something else than it should. Its callbacks allocate nothing. *)
let rate = float_of_string Sys.argv.(1)
let words = ref 0 and promoted = ref 0 and dead = ref 0
let some = Some ()
let note (a : Gc.Memprof.allocation) =
  if a.size = 57 then begin words := !words + a.n_samples; some end
  else if a.size = 61 then raise_notrace Exit
  else None
let keep = Array.make 10_000 (Obj.repr 0)
let block i = Obj.repr [| i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i |]
let[@inline never] rec deep n i = if n = 0 then block i else let r = deep (n - 1) i in Sys.opaque_identity r
let count = 10_000
let () =
  Gc.Memprof.start ~callstack_size:20 ~sampling_rate:rate
    { alloc_minor = note; alloc_major = note; promote = (fun () -> incr promoted; some);
      dealloc_minor = (fun () -> incr dead); dealloc_major = (fun () -> incr dead) };
  for i = 0 to count - 1 do
    let b = deep (i land 15) i in
    if i land 1 = 0 then keep.(i) <- b
  done;
  (try ignore (Sys.opaque_identity [| count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count; count |]) with Exit -> ());
  Gc.full_major ();
  Array.fill keep 0 count (Obj.repr 0);
  Gc.full_major ();
  Gc.Memprof.stop ();
  let expected n = if rate = 1. then n else 0 in
  exit (if !words = expected (58 * count) && !promoted >= expected (count / 2) && !dead >= expected (count - 2) then 0 else 1)
