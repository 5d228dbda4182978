(* ocaml5: no: Gc.Memprof.start returns a profile *)
(* stress: no: prints when each block is promoted or dies *)
(* stop and start in callbacks, 4.x: stop forgets everything at once. *)
open Gc.Memprof

let log = ref []
let say s = log := s :: !log
let show title = Printf.printf "%-22s %s\n" title (String.concat ", " (List.rev !log)); log := []
let poll () = ()
let keep = ref []
let hold v = keep := Obj.repr v :: !keep
let six () = (1, 2, 3, 4, 5, Sys.opaque_identity 6)
let start t = start ~callstack_size:0 ~sampling_rate:1. t

let naming name =
  let note (a : allocation) =
    if a.size >= 6 then begin say (Printf.sprintf "%s+%d" name a.size); Some name end else None in
  { alloc_minor = note; alloc_major = note;
    promote = (fun v -> say (v ^ "^"); Some v);
    dealloc_minor = (fun v -> say (v ^ "-"));
    dealloc_major = (fun v -> say (v ^ "-")) }

let finish title =
  keep := [];
  Gc.full_major ();
  (try stop () with Failure s -> say s);
  show title

let () =
  let t = naming "A" in
  start { t with alloc_minor = (fun a -> let r = t.alloc_minor a in if a.size = 6 then stop (); r) };
  hold (six ());
  hold (six ());
  Gc.minor ();
  finish "stop in alloc_minor";

  start { t with alloc_major = (fun a -> stop (); t.alloc_major a) };
  hold (Array.make 300 0);
  hold (Array.make 301 0);
  poll ();
  finish "stop in alloc_major";

  start { t with promote = (fun v -> say "promote stops"; stop (); Some v) };
  hold (six ());
  hold (six ());
  Gc.minor ();
  finish "stop in promote";

  start { t with dealloc_minor = (fun v -> say "dealloc stops"; stop ()) };
  ignore (Sys.opaque_identity (six ()));
  ignore (Sys.opaque_identity (six ()));
  Gc.minor ();
  finish "stop in dealloc";

  let b = naming "B" in
  start { t with alloc_minor = (fun a ->
    if a.size = 6 then begin
      say "A stops"; stop (); start b; say "B starts";
      ignore (Sys.opaque_identity (Array.make 7 0))
    end;
    Some "A") };
  hold (six ());
  hold (Array.make 8 0);
  poll ();
  finish "restart in alloc_minor";

  start { t with promote = (fun v -> stop (); start b; say "B starts"; Some v) };
  hold (six ());
  hold (six ());
  Gc.minor ();
  hold (Array.make 9 0);
  poll ();
  finish "restart in promote";

  start { t with alloc_minor = (fun a ->
    if a.size = 6 then begin
      (try start b with Failure s -> say s);
      Some "A"
    end else None) };
  hold (six ());
  Gc.minor ();
  finish "start alone";

  start { t with alloc_minor = (fun a ->
    if a.size = 6 then begin stop (); (try stop () with Failure s -> say s) end; None) };
  hold (six ());
  finish "stop twice";

  start { t with alloc_minor = (fun a ->
    if a.size = 6 then begin stop (); raise Exit end else None) };
  (match hold (six ()) with () -> say "fine" | exception Exit -> say "Exit");
  finish "stop and raise";

  start { t with alloc_minor = (fun a ->
    if a.size = 6 then begin stop (); start b; raise Exit end else None) };
  (match hold (six ()) with () -> say "fine" | exception Exit -> say "Exit");
  hold (Array.make 7 0);
  poll ();
  finish "restart and raise";

  for i = 1 to 1000 do
    start { t with alloc_minor = (fun a -> if a.size = 6 then stop (); Some "x") };
    hold (six ());
    (try stop () with Failure _ -> ())
  done;
  finish "a thousand times"
