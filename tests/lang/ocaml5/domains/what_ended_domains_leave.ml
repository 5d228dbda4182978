(* Finalisers registered in a domain run in another one when it has ended. *)
let () =
  let log = ref [] in
  let register name v = Gc.finalise (fun _ -> log := (name, (Domain.self () :> int)) :: !log) v in
  Domain.join (Domain.spawn (fun () -> register "first" (ref 1)));
  Gc.full_major ();
  List.iter (fun (n, d) -> Printf.printf "%s in %d\n" n d) !log;
  log := [];
  let kept = Domain.join (Domain.spawn (fun () -> let r = ref 2 in register "kept" r; r)) in
  Gc.full_major ();
  Printf.printf "%d yet, %d\n" (List.length !log) !kept;
  Gc.full_major ();
  List.iter (fun (n, d) -> Printf.printf "%s in %d\n" n d) !log;
  let last = ref 0 in
  Domain.join (Domain.spawn (fun () -> Gc.finalise_last (fun () -> incr last) (ref 3)));
  Gc.full_major ();
  Printf.printf "%d\n" !last;
  (* its own finalisers run in a domain that is alive *)
  let own = Domain.join (Domain.spawn (fun () ->
      let ran = ref [] in
      Gc.finalise (fun _ -> ran := (Domain.self () :> int) :: !ran) (ref 4);
      Gc.full_major ();
      Domain.self () , !ran)) in
  let id, ran = own in
  Printf.printf "%b\n" (ran = [ (id :> int) ]);
  (* ephemerons and weak arrays of an ended domain *)
  let w, key = Domain.join (Domain.spawn (fun () ->
      let w = Weak.create 2 in
      let key = ref 5 in
      Weak.set w 0 (Some key); Weak.set w 1 (Some (ref 6)); w, key)) in
  Gc.full_major ();
  Printf.printf "%b %b %d\n" (Weak.check w 0) (Weak.check w 1) !key
