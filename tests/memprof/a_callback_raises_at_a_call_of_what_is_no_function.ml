(* The block of a primitive waits for the next poll: at the entry of a function, which has no code here. *)
let no_function : bytes -> int = Obj.magic (Obj.new_block Obj.closure_tag 2)

external fresh : int -> bytes = "caml_create_bytes"

let tracker = { Gc.Memprof.null_tracker with alloc_minor = (fun _ -> raise Exit) }

let () =
  Printexc.record_backtrace true;
  Gc.Memprof.start ~sampling_rate:1. tracker;
  match no_function (fresh 3) with
  | _ -> print_endline "returned"
  | exception Exit ->
      Gc.Memprof.stop ();
      print_endline "raised"
