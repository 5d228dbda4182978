(* 5.3's semantics: what is tracked goes on after stop, until discard. *)
open Bactrian.Memprof

let log = ref []
let say s = log := s :: !log
let show title = Printf.printf "%-30s %s\n" title (String.concat ", " (List.rev !log)); log := []
let poll () = ()
let keep = ref []
let hold v = keep := Obj.repr v :: !keep
let drop () = keep := []
let six () = (1, 2, 3, 4, 5, Sys.opaque_identity 6)
let start t = start ~callstack_size:0 ~sampling_rate:1. t
let failure f = match f () with () -> say "fine" | exception Failure s -> say s

let naming name =
  let note (a : allocation) =
    if a.size >= 6 then begin say (Printf.sprintf "%s+%d" name a.size); Some name end else None in
  { alloc_minor = note; alloc_major = note;
    promote = (fun v -> say (v ^ "^"); Some v);
    dealloc_minor = (fun v -> say (v ^ "-"));
    dealloc_major = (fun v -> say (v ^ "--")) }
let a = naming "A" and b = naming "B"
let when_six t f = { t with alloc_minor = (fun r -> let v = t.alloc_minor r in if r.size = 6 then f (); v) }

let () =
  failure stop;
  let p = start a in
  failure (fun () -> discard p);
  failure (fun () -> ignore (start a));
  (match Bactrian.Memprof.start ~sampling_rate:2. a with
   | _ -> say "started" | exception Invalid_argument s -> say s);
  hold (six ());
  stop ();
  failure stop;
  say "|";
  hold (six ());
  Gc.minor ();
  say "|";
  drop ();
  Gc.full_major ();
  discard p;
  failure (fun () -> discard p);
  show "tracked after stop";

  let p = start a in
  hold (six ());
  stop ();
  discard p;
  Gc.minor (); drop (); Gc.full_major ();
  show "nothing after discard";

  let p = start a in
  hold (six ());
  stop ();
  let q = start b in
  hold (Array.make 7 0);
  poll ();
  Gc.minor ();
  stop ();
  let r = start a in
  hold (Array.make 8 0);
  poll ();
  discard p;
  drop ();
  Gc.full_major ();
  stop ();
  discard q; discard r;
  show "three profiles";

  let p = start a in
  hold (Array.make 300 0);
  hold (Array.make 301 0);
  stop ();
  drop ();
  Gc.full_major ();
  discard p;
  show "stop runs pending callbacks";

  let p = start { a with alloc_major = (fun r -> if r.size = 301 then failwith "mine" else a.alloc_major r) } in
  (* Bytes don't poll: the callbacks are pending when stop is called. *)
  let make () = hold (Bytes.create 2400); hold (Bytes.create 2401) in
  (match make (); stop () with () -> say "fine" | exception Failure s -> say s);
  say (string_of_bool (is_sampling ()));
  (if is_sampling () then stop ());
  discard p;
  drop ();
  show "a callback of stop raises";

  let p = ref None in
  let q = start (when_six a (fun () -> stop (); say "stopped")) in
  hold (six ());
  hold (six ());
  say (string_of_bool (is_sampling ()));
  Gc.minor (); drop (); Gc.full_major ();
  discard q;
  show "stop in alloc";

  let self = ref None in
  let q = start (when_six a (fun () -> stop (); match !self with Some q -> discard q | None -> ())) in
  self := Some q;
  hold (six ());
  Gc.minor (); drop (); Gc.full_major ();
  failure (fun () -> discard q);
  show "stop and discard in alloc";

  let q = start (when_six a (fun () -> stop (); p := Some (start b);
                              ignore (Sys.opaque_identity (Array.make 9 0)))) in
  hold (six ());
  hold (Array.make 7 0);
  poll ();
  Gc.minor (); drop (); Gc.full_major ();
  stop ();
  discard q;
  Option.iter discard !p;
  show "restart in alloc";

  let q = start { a with promote = (fun v -> say "promote stops"; stop (); Some v) } in
  hold (six ());
  Gc.minor (); drop (); Gc.full_major ();
  discard q;
  show "stop in promote";

  let q = start { a with dealloc_minor = (fun v -> say "dealloc discards"; stop ();
                   match !self with Some q -> discard q | None -> ()) } in
  self := Some q;
  ignore (Sys.opaque_identity (six ())); ignore (Sys.opaque_identity (six ()));
  Gc.minor ();
  show "discard in dealloc";

  (* stop called by a callback that stop runs *)
  let q = start { a with alloc_major = (fun r -> say "inner"; stop (); None) } in
  (match hold (Bytes.create 2400); stop () with () -> say "fine" | exception Failure s -> say s);
  say (string_of_bool (is_sampling ()));
  discard q;
  drop ();
  show "stop in a callback of stop";

  (* Each with None *)
  let q = start { a with promote = (fun v -> say "last"; None) } in
  hold (six ());
  stop ();
  Gc.minor (); drop (); Gc.full_major ();
  discard q;
  show "promote gives None";

  (* 4.x and 5.x interfaces know of each other's profile. *)
  let q = start a in
  failure (fun () -> Gc.Memprof.start ~sampling_rate:1. a);
  hold (six ());
  Gc.Memprof.stop ();
  Gc.minor (); drop (); Gc.full_major ();
  discard q;
  show "stopped by Gc.Memprof.stop";
  Gc.Memprof.start ~callstack_size:0 ~sampling_rate:1. a;
  say (string_of_bool (is_sampling ()));
  failure (fun () -> ignore (start b));
  hold (six ());
  stop ();
  Gc.minor (); drop (); Gc.full_major ();
  show "4.x profile, stopped by stop"

(* A profile without a name calls its tracker until nothing is tracked. *)
let () =
  let before = ref 0 in
  let round () =
    ignore (start { a with alloc_minor = (fun r -> if r.size = 6 then Some "x" else None);
      promote = (fun v -> incr before; Some v); dealloc_major = (fun _ -> incr before) });
    hold (six ());
    stop () in
  for _ = 1 to 100 do round () done;
  Gc.full_major ();
  drop ();
  Gc.full_major ();
  Printf.printf "without a name: %d calls\n" !before

(* Order of a batch: later events first, then each new block with all its pending callbacks. *)
let () =
  let p = start (when_six { a with alloc_minor = (fun r ->
      if r.size >= 6 then begin say (Printf.sprintf "+%d" r.size); Some (string_of_int r.size) end else None) }
    (fun () -> Gc.full_major ())) in
  let make () = ignore (Sys.opaque_identity (Bytes.create 60)); hold (Bytes.create 70); in
  hold (Array.make 7 0);
  make ();
  hold (six ());
  poll ();
  stop ();
  discard p;
  drop ();
  show "order"
