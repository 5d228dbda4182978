(* stress: no: counts cycles *)
(* sampled: no: has a profile of its own *)
(* Finalisers that a collection made ready run before the first callback of Gc.Memprof has done
   anything: at its first poll. *)
let say = print_string

let tracker =
  { Gc.Memprof.alloc_minor = (fun a -> if a.size = 7 then Some () else None);
    alloc_major = (fun _ -> None);
    promote = (fun () -> say "promoted "; Some ());
    dealloc_minor = (fun () -> say "dead ");
    dealloc_major = (fun () -> say "dead in the major heap ") }

let block () = Sys.opaque_identity (Array.make 7 (Sys.opaque_identity 0))
let last v = Gc.finalise_last (fun () -> say "last ") v
let first v = Gc.finalise (fun _ -> say "first ") v

let preparations =
  [ "last of another", (fun () -> ignore (block ()); last (ref 1));
    "last", (fun () -> last (block ()));
    "first of another", (fun () -> ignore (block ()); first (ref 1));
    "first", (fun () -> first (block ()));
    "promoted", (fun () -> let b = block () in first (ref 1); Gc.minor ();
                           ignore (Sys.opaque_identity b));
    "promoted, last", (fun () -> let b = block () and r = ref 1 in last r; Gc.minor ();
                                 ignore (Sys.opaque_identity (b, r))) ]

let collections =
  [ "minor", Gc.minor; "major", Gc.major; "full_major", Gc.full_major; "compact", Gc.compact;
    "slice", (fun () -> Gc.minor (); ignore (Gc.major_slice 1_000_000_000)) ]

let () =
  List.iter (fun (collection, collect) ->
    List.iter (fun (preparation, prepare) ->
      Gc.full_major ();
      say (collection ^ ", " ^ preparation ^ ": ");
      let profile = Gc.Memprof.start ~sampling_rate:1. ~callstack_size:0 tracker in
      prepare ();
      for _ = 1 to 3 do say "[ "; collect (); say "] " done;
      Gc.Memprof.stop ();
      Gc.Memprof.discard profile;
      say "\n") preparations) collections
