(* Functions whose counts are known. *)
open Bactrian

let pairs n = let r = ref [] in for i = 1 to n do r := [i] done; !r
let rec odd n = if n = 0 then false else not (even (n - 1))
and even n = if n = 0 then true else not (odd (n - 1))
let leaf x = x + 1
let thrice x = let a = leaf x in let b = leaf a in let c = leaf b in c + 1
let raises x = if x > 0 then raise Exit else x
let catches x = try raises x + 1 with Exit -> leaf x
let tail x = leaf x
let curried a b = a + b
let never x = x

let spin seconds =
  let stop = Sys.time () +. seconds in
  let n = ref 0 in
  while Sys.time () < stop do
    for _ = 1 to 10000 do incr n done
  done

let failure f = try f (); "nothing" with Failure text -> text | Sys_error text -> text

let () =
  match Sys.argv.(1) with
  | "alloc" ->
    let unit = Profile.Data.malloc () in
    let work () =
      let minor, promoted, major = Gc.counters () in
      ignore (Sys.opaque_identity (pairs 1000));
      ignore (Sys.opaque_identity (Array.make 1000 (pairs 5)));
      let keep = Sys.opaque_identity (List.init 300000 (fun i -> i)) in
      let minor', promoted', major' = Gc.counters () in
      ignore (List.length keep);
      Printf.printf "%.0f %.0f\n"
        (minor' +. major' -. promoted' -. (minor +. major -. promoted)) (promoted' -. promoted)
    in
    Profile.withData unit work;
    Profile.Data.write unit "a.out"
  | "stack" ->
    ignore (even 100);
    for i = 1 to 10 do ignore (thrice i) done;
    for i = 0 to 9 do ignore (catches i) done;
    for i = 1 to 7 do ignore (tail i) done;
    let partial = Sys.opaque_identity (curried 1) in
    for i = 1 to 4 do ignore (partial i) done;
    ignore (List.map leaf [1; 2; 3])
  | "time" -> spin (float_of_string Sys.argv.(2)); Printf.printf "%f\n" (Sys.time ())
  | "units" ->
    let a = Profile.Data.malloc () and b = Profile.Data.malloc () in
    Printf.printf "%b %b %b\n" Profile.isOn (Profile.Data.equals a a) (Profile.Data.equals a b);
    let inner () = ignore (leaf 1); Profile.withData b (fun () -> ignore (leaf 1); raise Exit) in
    (try Profile.withData a inner with Exit -> ());
    (try Profile.withData a (fun () -> ignore (raises 1)) with Exit -> ());
    ignore (thrice 1);
    Printf.printf "%d\n" (Profile.withData a (fun () -> leaf 41));
    Profile.Data.write a "a.out";
    Profile.Data.write b "b.out";
    print_endline (failure (fun () ->
      Profile.withData a (fun () -> Profile.Data.free a)));
    Profile.Data.free b;
    print_endline (failure (fun () -> Profile.Data.free b));
    print_endline (failure (fun () -> Profile.Data.write b "b.out"));
    print_endline (failure (fun () -> Profile.withData b ignore));
    print_endline (failure (fun () ->
      let c = Profile.Data.malloc () and d = Profile.Data.malloc () in
      Profile.withData c (fun () ->
        Profile.withData d (fun () -> Profile.Data.free c))));
    print_endline (failure (fun () -> Profile.Data.write a "/dev/full"));
    print_endline (failure (fun () -> Profile.Data.write a "/nowhere/x"))
  | "raise" -> ignore (leaf 1); failwith "boom"
  | "exit" -> ignore (leaf 1); exit 3
  | "exit in a unit" ->
    Profile.withData (Profile.Data.malloc ()) (fun () -> ignore (leaf 1); exit 4)
  | "loop" -> ignore (leaf 1); print_endline "ready"; while true do ignore (leaf 1) done
  | "read" -> ignore (leaf 1); print_endline "ready"; ignore (input_line stdin)
  | "moves" -> Sys.chdir "/"; ignore (leaf 1)
  | "fills" -> ignore (Sys.command "ln -sf /dev/full mlmon.out"); exit 5
  | "forks" ->
    if Sys.command "fork" = 0 then (for _ = 1 to 50 do ignore (leaf 1) done; exit 0)
    else ignore (Sys.command "wait")
  | "finalises" ->
    for i = 1 to 20 do Gc.finalise (fun r -> ignore (leaf !r)) (ref i) done;
    Gc.full_major ();
    ignore (List.sort (fun a b -> ignore (leaf a); compare a b) [3; 1; 2])
  | _ -> ()
