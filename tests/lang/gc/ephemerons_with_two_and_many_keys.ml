(* ocaml5: no: its ephemerons are immutable *)
module K2 = Ephemeron.K2
module Kn = Ephemeron.Kn

let a x = match x with None -> "dead" | Some _ -> "alive"

let () =
  let e = K2.create () in
  let k1 = ref 1 and k2 = ref "two" in
  K2.set_key1 e k1; K2.set_key2 e k2; K2.set_data e (ref 'd');
  Gc.full_major ();
  Printf.printf "%s %s %s\n" (a (K2.get_key1 e)) (a (K2.get_key2 e)) (a (K2.get_data e));
  K2.set_key2 e (ref "young");
  Gc.full_major ();
  Printf.printf "%s %s %s\n" (a (K2.get_key1 e)) (a (K2.get_key2 e)) (a (K2.get_data e));
  let f = K2.create () in
  K2.set_key1 f k1; K2.set_key2 f k2; K2.set_data f (ref 'f');
  K2.blit_key1 f e; K2.blit_key2 f e; K2.blit_data f e; K2.blit_key12 f e;
  Printf.printf "%b %b %b\n" (K2.check_key1 e) (K2.check_key2 e) (K2.check_data e);
  Printf.printf "%s %s %s\n" (a (K2.get_key1_copy e)) (a (K2.get_key2_copy e)) (a
      (K2.get_data_copy e));
  K2.unset_key1 e; K2.unset_key2 e; K2.unset_data e;
  Printf.printf "%b %b %b\n" (K2.check_key1 e) (K2.check_key2 e) (K2.check_data e);
  let n = Kn.create 5 in
  let keys = Array.init 5 (fun i -> ref i) in
  Array.iteri (Kn.set_key n) keys;
  Kn.set_data n (ref "many");
  Gc.full_major ();
  Printf.printf "%s " (a (Kn.get_data n));
  Kn.set_key n 3 (ref 33);
  Gc.full_major ();
  for i = 0 to 4 do Printf.printf "%s " (a (Kn.get_key n i)) done;
  Printf.printf "%s %b %b\n" (a (Kn.get_data n)) (Kn.check_key n 3) (Kn.check_data n);
  let m = Kn.create 5 in
  Kn.blit_key n 0 m 1 3; Kn.set_data m (ref "m"); Kn.blit_data m n; Kn.unset_key m 1;
  for i = 0 to 4 do Printf.printf "%b " (Kn.check_key m i) done;
  Printf.printf "%s %s\n" (a (Kn.get_key_copy m 2)) (a (Kn.get_data_copy m));
  Kn.unset_data m;
  ignore (Sys.opaque_identity (k1, k2, keys));
  (try Kn.set_key m 7 (ref 1) with Invalid_argument s -> print_endline s)
