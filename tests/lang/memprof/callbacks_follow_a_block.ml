(* stress: no: prints when each block is promoted or dies *)
(* The life of tracked blocks at rate 1: which callbacks run, in which order, with which value. *)
open Gc.Memprof

let log = Buffer.create 1000
let say fmt = Printf.ksprintf (fun s -> Buffer.add_string log s; Buffer.add_char log '\n') fmt
let show title = Printf.printf "-- %s\n%s" title (Buffer.contents log); Buffer.clear log
let poll () = ()
let keep = ref []

(* Only blocks of 7 or 300 fields, or with the sources asked for, are tracked. *)
let tracker =
  let n = ref 0 in
  let interesting (a : allocation) = a.size = 7 || a.size = 300 || a.source <> Normal in
  let name generation (a : allocation) =
    if not (interesting a) then None
    else begin
      incr n;
      let v = Printf.sprintf "%s %d of %d" generation !n a.size in
      say "alloc %s" v;
      Some v
    end
  in
  { alloc_minor = name "minor"; alloc_major = name "major";
    promote = (fun v -> say "promote %s" v; Some ("promoted " ^ v));
    dealloc_minor = (fun v -> say "dealloc_minor %s" v);
    dealloc_major = (fun v -> say "dealloc_major %s" v) }

let seven i = (i, i, i, i, i, i, i)
let[@inline never] hold f = keep := Obj.repr (f ()) :: !keep
let[@inline never] drop f = ignore (Sys.opaque_identity (f ()))

let profile title f =
  start ~callstack_size:0 ~sampling_rate:1. tracker;
  f ();
  poll ();
  stop ();
  keep := [];
  show title

let () =
  profile "dies young" (fun () -> drop (fun () -> seven 1); Gc.minor ());
  profile "promoted, dies old" (fun () ->
    hold (fun () -> seven 1); Gc.minor (); say "minor done"; keep := []; Gc.full_major ());
  profile "from C, young" (fun () -> drop (fun () -> Array.make 7 0); Gc.minor ());
  profile "from C, promoted" (fun () ->
    hold (fun () -> Array.make 7 0); Gc.minor (); keep := []; Gc.full_major ());
  profile "born old" (fun () -> drop (fun () -> Array.make 300 0); Gc.full_major ());
  profile "born old, kept" (fun () -> hold (fun () -> Array.make 300 0); Gc.full_major ());
  profile "never told more" (fun () -> hold (fun () -> seven 1); Gc.minor ());
  profile "several, one minor collection" (fun () ->
    for i = 1 to 3 do drop (fun () -> seven i); hold (fun () -> seven i) done; Gc.minor ());
  profile "unmarshalled" (fun () ->
    let m = Marshal.to_string [| 1; 2 |] [] in
    hold (fun () -> (Marshal.from_string m 0 : int array)); Gc.minor (); keep := []; Gc.full_major ());
  profile "custom memory" (fun () ->
    drop (fun () -> Bigarray.(Array1.create char c_layout 83)); Gc.full_major ());
  profile "custom memory, promoted" (fun () ->
    hold (fun () -> Bigarray.(Array1.create char c_layout 83)); Gc.minor ();
    keep := []; Gc.full_major ())

(* Values are handed on, physically; None ends the tracking. *)
let () =
  let given = ref [||] and same = ref 0 in
  let track _ = given := Array.make 3 'x'; Some !given in
  let t =
    { alloc_minor = track; alloc_major = track;
      promote = (fun v -> if v == !given then incr same; given := Array.make 2 'y'; Some !given);
      dealloc_minor = (fun v -> if v == !given then incr same);
      dealloc_major = (fun v -> if v == !given then incr same) } in
  start ~callstack_size:0 ~sampling_rate:1. t;
  hold (fun () -> seven 5);
  stop ();
  start ~callstack_size:0 ~sampling_rate:1.
    { t with alloc_minor = (fun a -> if a.size = 7 then track a else None); alloc_major = (fun _ -> None) };
  hold (fun () -> seven 5);
  Gc.minor ();
  let promoted = !same in
  keep := [];
  Gc.full_major ();
  stop ();
  Printf.printf "same value at promotion: %d, at death: %d\n" promoted !same

let () =
  let calls = ref 0 in
  let count _ = incr calls in
  start ~callstack_size:0 ~sampling_rate:1.
    { alloc_minor = (fun a -> if a.size = 7 then Some () else None); alloc_major = (fun _ -> None);
      promote = (fun () -> count (); None); dealloc_minor = count; dealloc_major = count };
  hold (fun () -> seven 5);
  Gc.minor ();
  keep := [];
  Gc.full_major ();
  stop ();
  Printf.printf "after promote gave None: %d call\n" !calls

(* Tracking keeps no block alive; its value is kept as long as it is tracked. *)
let () =
  let finalised = ref 0 and values = ref 0 in
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a ->
        if a.size <> 7 then None
        else begin
          let v = ref a.size in
          Gc.finalise_last (fun () -> incr values) v;
          Some v
        end) };
  hold (fun () -> let b = seven 1 in Gc.finalise_last (fun () -> incr finalised) b; 0);
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "the block is gone: %d; its value: %d\n" !finalised !values;
  stop ()

let () =
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a -> if a.size = 7 then Some (ref 0) else None);
      promote = (fun v -> incr v; Some v);
      dealloc_major = (fun v -> say "promoted %d times" !v) };
  hold (fun () -> seven 1);
  for _ = 1 to 5 do Gc.minor () done;
  Gc.full_major ();
  keep := [];
  Gc.full_major ();
  stop ();
  show "once promoted"

(* A resurrecting finaliser delays the death; weak pointers are clear before it is reported. *)
let () =
  let saved = ref [] and w = Weak.create 1 in
  start ~callstack_size:0 ~sampling_rate:1.
    { tracker with dealloc_major = (fun v ->
        say "dealloc_major %s, weak %s" v (if Weak.check w 0 then "full" else "clear")) };
  hold (fun () ->
    let b = seven 1 in
    Gc.finalise (fun b -> say "finalised"; saved := b :: !saved) b;
    Weak.set w 0 (Some b);
    b);
  Gc.full_major ();
  keep := [];
  Gc.full_major ();
  say "it lives again: %d" (List.length !saved);
  saved := [];
  Gc.full_major ();
  stop ();
  show "finalisers and weak pointers"

(* stop forgets all at once. *)
let () =
  start ~callstack_size:0 ~sampling_rate:1. tracker;
  hold (fun () -> seven 1);
  hold (fun () -> Array.make 300 0);
  stop ();
  keep := [];
  Gc.full_major ();
  show "stopped"

(* What a callback allocates is not sampled. *)
let () =
  let depth = ref 0 and deepest = ref 0 and calls = ref 0 in
  let t =
    { null_tracker with
      alloc_minor = (fun _ ->
        incr calls;
        incr depth;
        if !depth > !deepest then deepest := !depth;
        ignore (Sys.opaque_identity (List.init 100 (fun i -> Array.make i i)));
        decr depth;
        None) } in
  start ~callstack_size:10 ~sampling_rate:1. t;
  for i = 1 to 50 do drop (fun () -> seven i) done;
  stop ();
  Printf.printf "depth %d, more than 50 calls: %b, less than 60: %b\n" !deepest (!calls >= 50) (!calls < 160)
