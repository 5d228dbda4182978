(* ocaml5: no: its ephemerons are immutable *)
(* Gc.finalise_last: called without the value, once, after it has gone; it keeps nothing alive. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let w : int ref Weak.t = Weak.create 2

let old keep =
  let r = ref (Sys.opaque_identity 2) in
  keep := Some r;
  Weak.set w 1 (Some r);
  Gc.finalise_last (fun () -> say "old is gone, weak %b" (Weak.check w 1)) r

let order () =
  let all = List.init 4 (fun i -> ref (Sys.opaque_identity i)) in
  List.iter (fun r -> let i = !r in Gc.finalise_last (fun () -> say "last %d" i) r) all;
  ignore (Sys.opaque_identity all)

let with_data () =
  let e = Ephemeron.K1.create () in
  let k = ref (Sys.opaque_identity 3) in
  Ephemeron.K1.set_key e k;
  Ephemeron.K1.set_data e "data";
  Gc.finalise_last (fun () -> say "key is gone") k;
  e

let () =
  say "-- old";
  let keep = ref None in
  old keep;
  Gc.full_major ();
  say "still %d" (match !keep with Some r -> !r | None -> 0);
  keep := None;
  Gc.full_major ();
  say "-- order";
  order ();
  Gc.full_major ();
  say "-- ephemeron";
  let e = with_data () in
  Gc.full_major ();
  say "%b" (Ephemeron.K1.check_data e);
  Gc.full_major ();
  say "end"
