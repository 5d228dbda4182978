module H = Ephemeron.K1.Make (struct
    type t = string ref
    let equal = ( == )
    let hash r = Hashtbl.hash !r
  end)

module H2 = Ephemeron.K2.Make
    (struct type t = int ref let equal = ( == ) let hash r = !r end)
    (struct type t = string ref let equal = ( == ) let hash r = Hashtbl.hash !r end)

module Hn = Ephemeron.Kn.Make (struct type t = int ref let equal = ( == ) let hash r = !r end)

let () =
  let h = H.create 4 in
  let keep = List.init 10 (fun i -> ref ("k" ^ string_of_int i)) in
  List.iteri (fun i k -> H.add h k (i * 10)) keep;
  for i = 0 to 99 do H.add h (ref ("dead" ^ string_of_int i)) i done;
  Gc.full_major ();
  H.clean h;
  Printf.printf "%d %d\n" (H.length h) (H.stats_alive h).Hashtbl.num_bindings;
  Printf.printf "%d %b\n" (H.find h (List.nth keep 4)) (H.mem h (ref "k4"));
  H.replace h (List.nth keep 4) 444; H.remove h (List.nth keep 5);
  Printf.printf "%d %b\n" (H.find h (List.nth keep 4)) (H.find_opt h (List.nth keep 5) = None);
  let h2 = H2.create 3 in
  let a = ref 1 and b = ref "b" in
  H2.add h2 (a, b) "value";
  H2.add h2 (ref 2, ref "c") "gone";
  Gc.full_major ();
  H2.clean h2;
  Printf.printf "%d %s\n" (H2.length h2) (H2.find h2 (a, b));
  let hn = Hn.create 3 in
  let ks = [| ref 1; ref 2; ref 3 |] in
  Hn.add hn ks "three"; Hn.add hn [| ref 9 |] "nine";
  Gc.full_major ();
  Hn.clean hn;
  Printf.printf "%d %s %d\n" (Hn.length hn) (Hn.find hn ks) (List.length (Sys.opaque_identity keep))
