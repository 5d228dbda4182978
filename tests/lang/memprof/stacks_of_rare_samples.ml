(* Samples that are far apart: each block's call stack is that of its own allocation, although the
   one before came from elsewhere. Blocks of one size come from one place, called from two. *)
let first : (Printexc.raw_backtrace_slot * Printexc.raw_backtrace_slot) option array = Array.make 16 None
let wrong = ref 0
let taken = ref 0
let caller = ref 0 (* 0 or 1: which of the two runs *)
let depths = Array.make 16 0

let see (a : Gc.Memprof.allocation) =
  incr taken;
  if a.size < 8 then begin
    let kind = 2 * a.size + !caller in
    let here = Printexc.get_raw_backtrace_slot a.callstack 0
    and above = Printexc.get_raw_backtrace_slot a.callstack 1
    and depth = Printexc.raw_backtrace_length a.callstack in
    match first.(kind) with
    | None -> first.(kind) <- Some (here, above); depths.(kind) <- depth
    | Some (h, b) ->
      if h <> here || b <> above || depths.(kind) <> depth then incr wrong
  end;
  None

let tracker = { Gc.Memprof.null_tracker with alloc_minor = see }
let hide x = ignore (Sys.opaque_identity x)

let one i = hide (ref i)
let two i = hide (i, i)
let three i = hide (i, i, i)
let four i = hide [| i; i; i; i |]

let left i = caller := 0; one i; two i; three i; four i; ()
let right i = caller := 1; four i; one i; three i; two i; ()
let rec deep n i = if n = 0 then right i else (deep (n - 1) i; ())

let () =
  Gc.Memprof.start ~callstack_size:12 ~sampling_rate:0.02 tracker;
  for i = 1 to 20_000 do
    left i;
    if i land 1 = 0 then right i else right (i + 1);
    if i mod 100 = 0 then Gc.minor ()
  done;
  Gc.Memprof.stop ();
  Printf.printf "places that are not their block's: %d; samples came: %b\n" !wrong (!taken > 4000);
  wrong := 0;
  Array.fill first 0 16 None;
  Gc.Memprof.start ~callstack_size:40 ~sampling_rate:0.02 tracker;
  for i = 1 to 3_000 do deep 20 i done;
  Gc.Memprof.stop ();
  Printf.printf "in the depth: %d\n" !wrong
