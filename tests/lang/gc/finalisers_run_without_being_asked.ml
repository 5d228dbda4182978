(* Finalisers and weak references in a program that only allocates: everything happens in the end. *)
let finalised = ref 0 and lasted = ref 0
let () =
  let w = Weak.create 1000 in
  for i = 0 to 999 do
    let r = ref i in
    Gc.finalise (fun _ -> incr finalised) r;
    Gc.finalise_last (fun () -> incr lasted) (ref i);
    Weak.set w i (Some (ref i))
  done;
  let sink = ref [] in
  let rounds = ref 0 in
  while (!finalised < 1000 || !lasted < 1000) && !rounds < 400 do
    sink := List.init 20_000 (fun i -> i);
    if !rounds mod 3 = 0 then sink := [];
    incr rounds
  done;
  let full = ref 0 in
  for i = 0 to 999 do if Weak.check w i then incr full done;
  Printf.printf "%d %d %d\n" !finalised !lasted !full
