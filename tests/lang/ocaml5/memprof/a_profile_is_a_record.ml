(* The value of a profile can be looked at, compared and refused by Marshal; a spawned domain adds no
   samples of its own. *)
open Gc.Memprof
let say name f = Printf.printf "%s: %s\n" name (match f () with s -> s | exception e -> Printexc.to_string e)
let show p =
  let p = Obj.repr p in
  let item i =
    let v = Obj.field p i in
    if Obj.is_int v then string_of_int (Obj.obj v)
    else if Obj.tag v = Obj.double_tag then Printf.sprintf "%h" (Obj.obj v)
    else Printf.sprintf "tag %d" (Obj.tag v) in
  Printf.sprintf "tag %d: %s" (Obj.tag p) (String.concat ", " (List.init (Obj.size p) item))
let () =
  List.iter (fun sampling_rate ->
    let p = start ~sampling_rate ~callstack_size:7 null_tracker in
    say "started" (fun () -> show p);
    stop ();
    say "stopped" (fun () -> show p);
    let q = start ~sampling_rate null_tracker in
    stop ();
    say "itself" (fun () -> string_of_int (compare p p));
    say "equal" (fun () -> string_of_bool (p = p));
    say "marshalled" (fun () -> Marshal.to_string p []);
    discard q; discard p;
    say "discarded" (fun () -> show p)) [ 0.; 0.1; 1.; 1e-10 ]
let () =
  let p = start ~sampling_rate:1e-300 null_tracker in
  stop ();
  let copy = Obj.obj (Obj.dup (Obj.repr p)) in
  for _ = 1 to 3 do ignore (start ~sampling_rate:0.1 null_tracker); stop () done;
  discard copy;
  say "the original" (fun () -> discard p; "discarded");
  say "again" (fun () -> discard p; "discarded")
let () =
  let samples = ref 0 in
  let count _ = incr samples; None in
  let p = start ~sampling_rate:1. { null_tracker with alloc_minor = count; alloc_major = count } in
  Domain.join (Domain.spawn ignore);
  stop ();
  discard p;
  Printf.printf "%d samples\n" !samples
