(* stress: no: counts samples *)
(* One primitive allocates six blocks, and the callbacks of the first two raise: the second exception
   replaces the first, and the others are called at the next allocation or primitive. *)
open Gc.Memprof

let on = ref false
let calls = ref 0
let place = ref "nowhere"
let at s = place := s
let callback (_ : allocation) =
  if !on then (incr calls; if !calls <= 2 then raise Exit);
  None
let tracker = { null_tracker with alloc_minor = callback; alloc_major = callback }
let data = Marshal.to_string [ "a"; "b"; "c" ] []
let values = [| 1; 2; 3 |]

let scenario name f =
  let p = start ~callstack_size:0 ~sampling_rate:1. tracker in
  calls := 0; at "before"; on := true;
  (match ignore (Sys.opaque_identity (Marshal.from_string data 0 : string list)) with
   | () -> at "returned"
   | exception Exit -> at "caught");
  (try f () with Exit -> at ("raised again after " ^ !place));
  on := false;
  stop (); discard p;
  Printf.printf "%s: %s, %d callbacks\n" name !place !calls

let () =
  scenario "a block" (fun () -> ignore (Sys.opaque_identity (Some !calls)); at "allocated");
  scenario "a closure" (fun () -> let x = !calls in ignore (Sys.opaque_identity (fun () -> x)); at "allocated");
  scenario "an element" (fun () -> ignore (Sys.opaque_identity values.(0)); at "read");
  scenario "a tag" (fun () -> ignore (Obj.tag (Obj.repr values)); at "read");
  scenario "compare" (fun () -> ignore (compare values values); at "compared");
  scenario "Bytes.create" (fun () -> ignore (Sys.opaque_identity (Bytes.create 8)); at "created");
  scenario "an index out of bounds" (fun () -> try ignore values.(!calls + 5) with Invalid_argument _ -> at "refused");
  scenario "a division by zero" (fun () -> try ignore (1 / (!calls - !calls)) with Division_by_zero -> at "refused");
  scenario "Lazy.force" (fun () -> ignore (Lazy.force (lazy !calls)); at "forced");
  scenario "Gc.minor" (fun () -> Gc.minor (); at "collected");
  scenario "stop" (fun () -> on := true; stop (); at "stopped"; ignore (start ~sampling_rate:1. null_tracker))
