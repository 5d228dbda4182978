(* ocaml5: no: the places of sampled calls, chosen at random, depend on handlers in OCaml 5 *)
(* Exceptions unwind deep stacks to a handler somewhere in the middle, and other calls are made from
   there: every place is that of the call which is active. *)
let depth = 120
let path = Array.make (depth + 1) 0 (* which of two calls the frame of that level makes *)
let catches = Array.make (depth + 1) false
let raises = ref false
let place : Printexc.raw_backtrace_slot option array = [| None; None |]
let wrong = ref 0 and seen = ref 0

let hide x = ignore (Sys.opaque_identity x)
let leaf () = hide (ref 0); hide (ref 1)

let rec walk n =
  if n = 0 then begin
    leaf ();
    if !raises then begin raises := false; raise Exit end
  end
  else if catches.(n) then begin
    (try step n; hide n with Exit -> path.(n) <- 1 - path.(n); step n);
    hide n
  end
  else begin step n; hide n end

and step n =
  if path.(n) = 0 then begin walk (n - 1); hide 0 end
  else begin walk (n - 1); hide 1 end

(* From the leaf outwards: leaf, walk 0, step 1, walk 1, step 2 ... *)
let see (a : Gc.Memprof.allocation) =
  if Printexc.raw_backtrace_length a.callstack > 2 * depth then begin
    incr seen;
    for n = 1 to depth do
      let slot = Printexc.get_raw_backtrace_slot a.callstack (2 * n) in
      match place.(path.(n)) with
      | None -> place.(path.(n)) <- Some slot
      | Some p -> if p <> slot then incr wrong
    done
  end;
  None

let () =
  let state = Random.State.make [| 23 |] in
  Gc.Memprof.start ~sampling_rate:0.4 { Gc.Memprof.null_tracker with alloc_minor = see };
  for i = 1 to 1500 do
    let n = 1 + Random.State.int state depth in
    Array.fill catches 0 (depth + 1) false;
    catches.(n) <- true;
    if i land 7 = 0 then catches.(1 + Random.State.int state depth) <- true;
    path.(1 + Random.State.int state depth) <- i land 1;
    raises := i mod 5 > 0;
    walk depth;
    if i mod 300 = 0 then Gc.full_major ()
  done;
  Gc.Memprof.stop ();
  Printf.printf "wrong places: %d, enough stacks: %b, two places: %b\n" !wrong (!seen > 1000)
    (place.(0) <> place.(1))
