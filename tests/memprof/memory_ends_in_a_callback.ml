(* options: --max-heap=8M *)
(* flags: -g *)
(* Out_of_memory anywhere: sampling goes on, and the deaths of tracked blocks are reported. *)
let keep = ref []
let live = ref 0 and calls = ref 0
let born _ = incr calls; incr live; Some ()
let died () = decr live
let tracker = { Gc.Memprof.alloc_minor = born; alloc_major = born; promote = (fun () -> Some ());
                dealloc_minor = died; dealloc_major = died }
let rec deep n f = if n = 0 then f () else let r = deep (n - 1) f in Sys.opaque_identity r
let () =
  Gc.Memprof.start ~sampling_rate:0.2 tracker;
  let failures = ref 0 in
  for i = 1 to 4 do
    (try deep 40 (fun () -> while true do keep := Array.make 200 i :: !keep done) with Out_of_memory -> incr failures);
    keep := [];
    (try Gc.full_major () with Out_of_memory -> ())
  done;
  let before = !calls in
  for i = 1 to 1000 do ignore (Sys.opaque_identity (ref i)) done;
  Printf.printf "failures %d, still sampling %b\n" !failures (!calls > before);
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "still tracked: %s\n" (if !live <= 40 then "hardly any" else string_of_int !live);
  Gc.Memprof.stop ()
