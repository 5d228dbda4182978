(* What both programs do: each kind of call so often, timed by CPU time. *)
let time name count f =
  let start = Sys.time () in
  for _ = 1 to count do f () done;
  Printf.printf "%s %.1f\n%!" name ((Sys.time () -. start) *. 1e9 /. float count)

let run cos strlen sort =
  let scale = try int_of_string Sys.argv.(1) with _ -> 1 in
  let text = String.make 20 'x' in
  time "cos" (100_000 * scale) (fun () -> ignore (Sys.opaque_identity (cos 0.5 : float)));
  time "strlen" (100_000 * scale) (fun () -> ignore (Sys.opaque_identity (strlen text : int)));
  time "qsort" (10 * scale) sort
