(* Deep call stacks that differ from the one before by a frame somewhere in the middle, and come
   back to what they were: every place is that of the call which is active. *)
let depth = 80
let path = Array.make (depth + 1) 0 (* which of two calls the frame of that level makes *)
let place : Printexc.raw_backtrace_slot option array = [| None; None |]
let wrong = ref 0 and seen = ref 0

let hide x = ignore (Sys.opaque_identity x)
let leaf () = hide (ref 0)

let rec walk n =
  if n = 0 then leaf ()
  else if path.(n) = 0 then begin walk (n - 1); hide 0 end
  else begin walk (n - 1); hide 1 end

let see (a : Gc.Memprof.allocation) =
  let length = Printexc.raw_backtrace_length a.callstack in
  if length > depth then begin
    incr seen;
    (* The leaf, which took the place of the last walk, then those that wait. *)
    for n = 1 to depth do
      let slot = Printexc.get_raw_backtrace_slot a.callstack n in
      match place.(path.(n)) with
      | None -> place.(path.(n)) <- Some slot
      | Some p -> if p <> slot then incr wrong
    done
  end;
  None

let () =
  let state = Random.State.make [| 17 |] in
  Gc.Memprof.start ~sampling_rate:0.3 { Gc.Memprof.null_tracker with alloc_minor = see };
  for i = 1 to 4000 do
    (* Now here, now there, and back again. *)
    let n = 1 + Random.State.int state depth in
    path.(n) <- 1 - path.(n);
    walk depth;
    if i land 3 = 0 then begin path.(n) <- 1 - path.(n); walk depth end;
    if i mod 500 = 0 then Gc.full_major ()
  done;
  Gc.Memprof.stop ();
  Printf.printf "wrong places: %d, enough stacks: %b, two places: %b\n" !wrong (!seen > 1000) (place.(0) <> place.(1))
