(* Many functions of both kinds, registered while others run, on values that come back to life
   (#6919, #1849, #13502, #11995, #13732). *)
let first = ref 0 and last = ref 0 and revived = ref []

let () =
  for i = 1 to 5000 do
    let v = ref (string_of_int i) in
    Gc.finalise (fun v -> incr first; if int_of_string !v mod 100 = 0 then revived := v :: !revived) v;
    Gc.finalise_last (fun () -> incr last) v;
    let w = ref i in
    Gc.finalise_last (fun () -> incr last) w;
    Gc.finalise (fun w -> if !w mod 5 = 0 then Gc.finalise_last (fun () -> incr last) (ref 0)) w;
    if i mod 500 = 0 then Gc.minor ();
    if i mod 1700 = 0 then Gc.full_major ()
  done;
  for _ = 1 to 5 do Gc.full_major () done;
  Printf.printf "%d %d\n" !first !last;
  List.iter (fun v -> print_string !v; print_char ' ') (List.sort compare !revived);
  print_newline ();
  revived := [];
  for _ = 1 to 3 do Gc.full_major () done;
  Printf.printf "%d %d\n" !first !last

(* Alive as long as it can be reached, also through something else that is finalised. *)
let () =
  let dead = ref false in
  let inner = ref 5 in
  Gc.finalise (fun _ -> dead := true) inner;
  let outer = ref inner in
  Gc.finalise (fun o -> Printf.printf "outer goes, inner is %d, dead %b\n" !(!o) !dead) outer;
  let chain = List.init 1000 (fun i -> ref i) in
  List.iter (fun r -> Gc.finalise (fun _ -> ()) r) chain;
  Gc.full_major ();
  Printf.printf "%b %d\n" !dead !(!(Sys.opaque_identity outer));
  Gc.full_major ();
  ignore (Sys.opaque_identity chain)

let () =
  for _ = 1 to 3 do Gc.full_major () done;
  (* A first-come order and an exception in between. *)
  let order = ref [] in
  let add i = let v = ref i in Gc.finalise (fun v -> order := !v :: !order; if !v = 3 then raise Exit) v in
  List.iter add [ 1; 2; 3; 4; 5 ];
  let rec collect n = if n > 0 then (match Gc.full_major () with () -> collect (n - 1) | exception Exit -> print_string "exit "; collect (n - 1)) in
  collect 4;
  List.iter (Printf.printf "%d ") (List.sort compare !order);
  print_newline ()
