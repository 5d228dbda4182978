(* Call stacks of sampled blocks: stacks fresh|shared|bare DEPTH COUNT. fresh: each is taken at the end
   of a new recursion; bare: that recursion alone; shared: all stacks within one. *)
let mode = Sys.argv.(1) and depth = int_of_string Sys.argv.(2) and count = int_of_string Sys.argv.(3)
let sampled = ref 0
let rec deep n f = if n = 0 then f () else let r = deep (n - 1) f in Sys.opaque_identity r
let one () = ignore (Sys.opaque_identity (ref 0))
let many () = for _ = 1 to count do one () done
let start () =
  Gc.Memprof.start ~sampling_rate:1.
    { Gc.Memprof.null_tracker with alloc_minor = (fun _ -> incr sampled; None) }
let () =
  if mode = "shared" then deep depth (fun () -> start (); many (); Gc.Memprof.stop ())
  else begin
    if mode = "fresh" then start ();
    for _ = 1 to count do deep depth one done;
    if mode = "fresh" then Gc.Memprof.stop ()
  end
