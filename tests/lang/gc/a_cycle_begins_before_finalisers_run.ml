(* stress: no: counts cycles *)
(* Which collection empties weak pointers and ephemerons to values with finalisers, and which calls
   those: of young and promoted values, by Gc.minor, major, full_major and compact. When finalisers
   run the next cycle has begun, so their values survive that one. *)
let out = Buffer.create 1000
let say s = Buffer.add_string out s
let keep = ref []

let round prepare promote collect =
  let weak = Weak.create 3 in
  let ephemeron = Obj.Ephemeron.create 1 in
  let fill () =
    let a = ref 1 and b = ref 2 and c = ref 3 and d = ref 4 in
    Weak.set weak 0 (Some a);
    Weak.set weak 1 (Some b);
    Weak.set weak 2 (Some c);
    Obj.Ephemeron.set_key ephemeron 0 (Obj.repr d);
    Obj.Ephemeron.set_data ephemeron (Obj.repr (ref 5));
    prepare a b d;
    promote ()
  in
  fill ();
  let state () =
    for i = 0 to 2 do say (if Weak.check weak i then "1" else "0") done;
    say (if Obj.Ephemeron.check_key ephemeron 0 then "k" else "-");
    say (if Obj.Ephemeron.check_data ephemeron then "d " else "- ")
  in
  state ();
  for _ = 1 to 4 do collect (); say "| "; state () done;
  say "\n"

let first name v = Gc.finalise (fun _ -> say name) v
let last name v = Gc.finalise_last (fun () -> say name) v

let preparations =
  [ "none", (fun _ _ _ -> ());
    "first", (fun a b d -> first "A" a; first "B" b; first "D" d);
    "last", (fun a b d -> last "A" a; last "B" b; last "D" d);
    "both", (fun a b d -> first "A" a; last "a" a; last "B" b; first "D" d; last "d" d);
    "again", (fun a b d ->
      Gc.finalise (fun v -> say "A"; keep := v :: !keep) a;
      Gc.finalise (fun v -> say "B"; first "b" v) b;
      Gc.finalise (fun v -> say "D"; last "d" v) d) ]

let promotions =
  [ "young", ignore; "promoted", Gc.minor;
    "while marking", (fun () -> Gc.minor (); ignore (Gc.major_slice 10)) ]

let collections =
  [ "minor", Gc.minor; "major", Gc.major; "full_major", Gc.full_major; "compact", Gc.compact;
    "minor and major", (fun () -> Gc.minor (); Gc.major ()) ]

let () =
  List.iter (fun (collection, collect) ->
    List.iter (fun (preparation, prepare) ->
      List.iter (fun (promotion, promote) ->
        say (Printf.sprintf "%s, %s, %s: " collection preparation promotion);
        round prepare promote collect) promotions) preparations) collections;
  print_string (Buffer.contents out)
