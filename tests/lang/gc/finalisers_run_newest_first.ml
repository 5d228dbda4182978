(* Gc.finalise: order, resurrection, several functions on one value, values that refer to each other. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let saved = ref None
type node = { name : string; mutable next : node option }

let several () =
  let all = List.init 5 (fun i -> ref (10 * (i + 1))) in
  List.iter (fun r -> let i = !r / 10 in Gc.finalise (fun r -> say "value %d by function %d" !r i) r) all;
  ignore (Sys.opaque_identity all)

let twice () =
  let r = ref "twice" in
  Gc.finalise (fun r -> say "first %s" !r) r;
  Gc.finalise (fun r -> say "second %s" !r) r

let linked () =
  let a = { name = "a"; next = None } in
  let b = { name = "b"; next = Some a } in
  a.next <- Some b;
  Gc.finalise (fun n -> say "%s -> %s" n.name (match n.next with Some m -> m.name | None -> "-")) b;
  Gc.finalise (fun n -> say "%s -> %s" n.name (match n.next with Some m -> m.name | None -> "-")) a

let resurrected () = Gc.finalise (fun r -> saved := Some r; say "saving %s" !r) (ref "me")

let of_a_closure () =
  let k = Sys.opaque_identity 4 in
  let f x = x + k in
  Gc.finalise (fun f -> say "closure gives %d" (f 1)) f;
  let rec g x = if x = 0 then k else h (x - 1) and h x = if x = 0 then 1 else g (x - 1) in
  Gc.finalise (fun h -> say "inner closure gives %d" (h 1)) h

let of_a_living_value = ref "alive"

let () =
  Gc.finalise (fun _ -> say "never") of_a_living_value;
  several ();
  Gc.full_major ();
  say "-- twice";
  twice ();
  Gc.full_major ();
  say "-- linked";
  linked ();
  Gc.full_major ();
  say "-- resurrected";
  resurrected ();
  Gc.full_major ();
  Gc.full_major ();
  say "%s" (match !saved with Some r -> !r | None -> "-");
  saved := None;
  Gc.full_major ();
  say "-- closures";
  of_a_closure ();
  Gc.full_major ();
  say "%s" !of_a_living_value
