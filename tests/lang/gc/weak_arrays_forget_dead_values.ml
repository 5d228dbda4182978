(* Weak arrays: what nobody else holds is gone after a collection, the rest stays. *)
let show w = String.concat "" (List.init (Weak.length w) (fun i -> if Weak.check w i then "x" else "."))

let some () =
  let w = Weak.create 6 in
  let kept = ref 5 in
  Weak.set w 0 (Some kept);
  Weak.set w 1 (Some (ref 6));
  Weak.set w 3 (Some (ref 7));
  Gc.full_major ();
  print_endline (show w);
  (match Weak.get w 0 with Some r -> Printf.printf "%d %b\n" !r (r == kept) | None -> print_endline "?");
  Weak.set w 0 None;
  print_endline (show w);
  ignore (Sys.opaque_identity kept)

let old () =
  let w = Weak.create 300 in
  let values = Array.init 300 (fun i -> string_of_int i) in
  Array.iteri (fun i s -> Weak.set w i (Some s)) values;
  Gc.full_major ();
  for i = 0 to 299 do if i mod 7 <> 0 then values.(i) <- "" done;
  Gc.full_major ();
  for i = 0 to 299 do
    match Weak.get w i with
    | Some s -> if i mod 7 <> 0 || s <> string_of_int i then Printf.printf "wrong at %d: %s\n" i s
    | None -> if i mod 7 = 0 then Printf.printf "lost %d\n" i
  done;
  print_endline (show w);
  ignore (Sys.opaque_identity values)

let integers_and_constants () =
  let w : Obj.t Weak.t = Weak.create 4 in
  Weak.set w 0 (Some (Obj.repr 42));
  Weak.set w 1 (Some (Obj.repr [||]));
  Weak.set w 2 (Some (Obj.repr print_endline));
  Gc.full_major ();
  print_endline (show w);
  match Weak.get w 0 with Some v -> Printf.printf "%d\n" (Obj.obj v) | None -> print_endline "?"

let moving () =
  let w = Weak.create 8 and v = Weak.create 5 in
  let keep = List.init 8 (fun i -> ref i) in
  List.iteri (fun i r -> if i <> 3 then Weak.set w i (Some r)) keep;
  Weak.blit w 1 v 0 5;
  print_endline (show v);
  Weak.blit w 0 w 2 6;
  print_endline (show w);
  Weak.blit w 2 w 0 6;
  print_endline (show w);
  Weak.fill w 1 3 None;
  print_endline (show w);
  Gc.full_major ();
  print_endline (show w);
  print_endline (show v);
  ignore (Sys.opaque_identity keep)

let errors () =
  let w : int ref Weak.t = Weak.create 2 in
  let attempt name f = match f () with
    | () -> Printf.printf "%s ok\n" name
    | exception e -> Printf.printf "%s %s\n" name (Printexc.to_string e) in
  attempt "create" (fun () -> ignore (Weak.create (-1)));
  attempt "create" (fun () -> ignore (Weak.create max_int));
  attempt "create" (fun () -> ignore (Weak.create 0));
  attempt "get" (fun () -> ignore (Weak.get w 2));
  attempt "get" (fun () -> ignore (Weak.get w (-1)));
  attempt "get_copy" (fun () -> ignore (Weak.get_copy w 2));
  attempt "check" (fun () -> ignore (Weak.check w 2));
  attempt "set" (fun () -> Weak.set w 2 None);
  attempt "blit" (fun () -> Weak.blit w 0 w 1 2);
  attempt "blit" (fun () -> Weak.blit w 0 w 0 0);
  attempt "fill" (fun () -> Weak.fill w 0 3 None)

let () = some (); old (); integers_and_constants (); moving (); errors ()
