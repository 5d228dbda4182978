(* Without -g the frames are counted all the same, and nothing can be said of them. *)
open Gc.Memprof
let rec deep n = if n = 0 then (n, 2, 3, 4, 5, 6) else let r = deep (n - 1) in Sys.opaque_identity r
let () =
  let stack = ref None in
  start ~sampling_rate:1. { null_tracker with
    alloc_minor = (fun a -> if a.size = 6 then stack := Some a.callstack; None) };
  ignore (Sys.opaque_identity (deep 5));
  stop ();
  match !stack with
  | None -> print_endline "no sample"
  | Some s ->
    Printf.printf "%d frames\n%s" (Printexc.raw_backtrace_length s) (Printexc.raw_backtrace_to_string s);
    print_endline (if Printexc.backtrace_slots s = None then "no slots" else "slots")
