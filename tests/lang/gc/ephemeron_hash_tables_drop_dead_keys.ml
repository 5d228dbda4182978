(* Ephemeron.K1.Make, K2.Make, Kn.Make: tables whose bindings vanish with their keys. *)
module H = struct
  type t = int ref
  let equal (a : t) b = a == b
  let hash (a : t) = !a
end
module T1 = Ephemeron.K1.Make (H)
module T2 = Ephemeron.K2.Make (H) (H)
module Tn = Ephemeron.Kn.Make (H)

let () =
  let t = T1.create 10 in
  let keys = Array.init 300 (fun i -> ref i) in
  Array.iter (fun k -> T1.add t k (string_of_int !k)) keys;
  for i = 0 to 999 do T1.add t (ref i) "lost" done;
  Gc.full_major ();
  Printf.printf "%d\n" (T1.stats_alive t).Hashtbl.num_bindings;
  T1.clean t;
  Printf.printf "%d %d\n" (T1.stats_alive t).Hashtbl.num_bindings (T1.length t);
  Printf.printf "%s\n" (T1.find t keys.(77));
  T1.replace t keys.(77) "new";
  Printf.printf "%s %b\n" (T1.find t keys.(77)) (T1.mem t (ref 77));
  T1.remove t keys.(77);
  Printf.printf "%b\n" (T1.mem t keys.(77));
  for i = 0 to 299 do if i mod 3 = 0 then keys.(i) <- ref (-1) done;
  Gc.full_major ();
  Printf.printf "%d\n" (T1.stats_alive t).Hashtbl.num_bindings;
  let t2 = T2.create 10 in
  let a = ref 1 and b = Array.init 10 ref in
  Array.iter (fun k -> T2.add t2 (a, k) !k) b;
  b.(4) <- ref 0;
  Gc.full_major ();
  Printf.printf "%d %d\n" (T2.stats_alive t2).Hashtbl.num_bindings (T2.find t2 (a, b.(5)));
  let tn = Tn.create 10 in
  Tn.add tn b 1;
  Tn.add tn [| a; a |] 2;
  Tn.add tn [| a; ref 9 |] 3;
  Gc.full_major ();
  Printf.printf "%d %d %d\n" (Tn.stats_alive tn).Hashtbl.num_bindings (Tn.find tn b) (Tn.find tn [| a; a |]);
  ignore (Sys.opaque_identity (keys, a, b))
