(* What the programs of bench/micro share: a row is a small piece of work that is timed by itself.

   PROGRAM [SAMPLES [ROW ...]] prints a line for each row: its name, a tab, nanoseconds for one unit
   of its work (the lowest of SAMPLES CPU times), a tab, the unit. *)
let samples = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 3

let chosen =
  let given = max 0 (Array.length Sys.argv - 2) in
  Array.to_list (Array.sub Sys.argv (Array.length Sys.argv - given) given)

let wanted name = chosen = [] || List.mem name chosen

(* Runs work () `times` times in each sample; units: of what one call of it does. The heap is
   brought in order first, so that no row pays for the one before. *)
let row name ?(unit = "call") ?(units = 1) ~times work =
  if wanted name then begin
    Gc.compact ();
    let lowest = ref infinity in
    for _ = 1 to samples do
      let start = Sys.time () in
      for _ = 1 to times do
        ignore (Sys.opaque_identity (work ()))
      done;
      let spent = Sys.time () -. start in
      if spent < !lowest then lowest := spent
    done;
    Printf.printf "%s\t%.3f\t%s\n%!" name
      (!lowest *. 1e9 /. float times /. float units)
      unit
  end
