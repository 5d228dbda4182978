(* start_another: every profile by itself, with its own rate. *)
open Bactrian.Memprof

let words = 300_000
let poll () = ()
let allocate () = for i = 1 to words / 3 do ignore (Sys.opaque_identity (i, i)) done
let counter () =
  let n = ref 0 and calls = ref 0 in
  n, calls, { null_tracker with
    alloc_minor = (fun a -> incr calls; n := !n + a.n_samples; None);
    alloc_major = (fun a -> incr calls; n := !n + a.n_samples; None) }

let near name n expected =
  let sd = sqrt (float expected) in
  Printf.printf "%s: %s\n" name
    (if abs_float (float (n - expected)) <= 6. *. sd then "as expected" else string_of_int n)

let () =
  let main, _, t = counter () and full, calls, t1 = counter () and tenth, _, t2 = counter ()
  and none, _, t3 = counter () in
  let p = start ~sampling_rate:0.01 t in
  let q = start_another ~sampling_rate:1. t1 in
  let r = start_another ~sampling_rate:0.1 t2 in
  let s = start_another ~sampling_rate:0. t3 in
  allocate ();
  stop_another q;
  let f = !full in
  Printf.printf "rate 1 saw %s\n" (if f >= words && f < words + words / 3 then "everything" else string_of_int f);
  stop ();
  Printf.printf "is_sampling %b\n" (is_sampling ());
  (match stop () with () -> print_endline "stopped" | exception Failure m -> print_endline m);
  stop_another r;
  stop_another s;
  near "rate 0.01" !main (words / 100);
  near "rate 0.1" !tenth (words / 10);
  Printf.printf "rate 0: %d\n" !none;
  (match stop_another r with () -> print_endline "stopped" | exception Failure m -> print_endline m);
  List.iter discard [ p; q; r; s ];
  ignore !calls

(* Another profile sees a callback's allocation; its own does not. A profile itself has 9 fields. *)
let () =
  let seen = ref [] in
  let watch = { null_tracker with alloc_minor = (fun a ->
    if a.size = 6 || a.size = 10 then seen := a.size :: !seen; None) } in
  let own = ref [] in
  let p = start ~sampling_rate:1. { null_tracker with alloc_minor = (fun a ->
    if a.size = 6 || a.size = 10 then begin
      own := a.size :: !own;
      ignore (Sys.opaque_identity (1, 2, 3, 4, 5, 6, 7, 8, 9, Sys.opaque_identity 10))
    end; None) } in
  let q = start_another ~callstack_size:0 ~sampling_rate:1. watch in
  ignore (Sys.opaque_identity (1, 2, 3, 4, 5, Sys.opaque_identity 6));
  stop_another q;
  stop ();
  discard p;
  discard q;
  let show l = String.concat " " (List.map string_of_int (List.rev l)) in
  Printf.printf "own: %s; the other: %s\n" (show !own) (show !seen)

(* A refusal by one is a death for the other; both may end while the other's callback runs. *)
let () =
  let told = ref 0 and died = ref 0 in
  let armed = ref false in
  let q = start_another ~sampling_rate:1. { null_tracker with
    alloc_minor = (fun a -> if a.size = 6 then begin incr told; Some () end else None);
    dealloc_minor = (fun () -> incr died) } in
  let p = start ~sampling_rate:1. { null_tracker with
    alloc_minor = (fun a -> if a.size = 6 && !armed then raise Exit else None) } in
  armed := true;
  for _ = 1 to 10 do
    try ignore (Sys.opaque_identity (1, 2, 3, 4, 5, Sys.opaque_identity 6)) with Exit -> ()
  done;
  armed := false;
  Gc.minor ();
  stop_another q;
  stop ();
  Gc.full_major ();
  Printf.printf "told %d, died %d\n" !told !died;
  discard p;
  discard q

let () =
  (* The first stops and discards the second, whose turn would be next, and starts a third. *)
  let second = ref None and third = ref None and calls = ref 0 in
  let p = start_another ~sampling_rate:1. { null_tracker with alloc_minor = (fun a ->
    if a.size = 6 then begin
      Option.iter (fun q -> stop_another q; discard q) !second;
      second := None;
      Gc.full_major ();
      third := Some (start_another ~sampling_rate:1. { null_tracker with
        alloc_minor = (fun a -> if a.size = 7 then incr calls; None) })
    end;
    None) } in
  second := Some (start_another ~sampling_rate:1. { null_tracker with
    alloc_minor = (fun a -> if a.size = 6 then print_endline "wrong"; Some ());
    dealloc_minor = (fun () -> print_endline "wrong") });
  ignore (Sys.opaque_identity (1, 2, 3, 4, 5, Sys.opaque_identity 6));
  ignore (Sys.opaque_identity (1, 2, 3, 4, 5, 6, Sys.opaque_identity 7));
  stop_another p;
  Option.iter (fun q -> stop_another q; discard q) !third;
  discard p;
  Printf.printf "third was called %d times\n" !calls

let () =
  let profiles = ref [] in
  (try
    while true do
      profiles := start_another ~sampling_rate:0.5 null_tracker :: !profiles
    done
  with Failure m -> Printf.printf "%d: %s\n" (List.length !profiles) m);
  ignore (Sys.opaque_identity (Array.init 1000 (fun i -> ref i)));
  List.iter stop_another !profiles;
  List.iter discard !profiles;
  let p = start ~sampling_rate:0.5 null_tracker in
  stop ();
  discard p;
  print_endline "room again"
