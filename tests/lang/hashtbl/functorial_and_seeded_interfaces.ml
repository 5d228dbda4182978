(* ocaml5: no: seeded_hash has another name *)
module Mod7 = Hashtbl.Make (struct
    type t = int
    let equal a b = a mod 7 = b mod 7
    let hash a = a mod 7
  end)

module Seeded = Hashtbl.MakeSeeded (struct
    type t = string
    let equal = String.equal
    let hash seed s = Hashtbl.seeded_hash seed s
  end)

let () =
  let h = Mod7.create 3 in
  for i = 0 to 20 do Mod7.add h i (string_of_int i) done;
  Printf.printf "%d %s\n" (Mod7.length h) (String.concat "," (Mod7.find_all h 3));
  Mod7.replace h 10 "ten";
  Printf.printf "%s %b %s\n" (Mod7.find h 3) (Mod7.mem h 100) (Mod7.find h 100);
  Mod7.remove h 3;
  Mod7.iter (fun k v -> Printf.printf "%d:%s " k v) h;
  print_newline ();
  let s = Seeded.create ~random:false 10 in
  List.iter (fun k -> Seeded.replace s k (String.length k)) [ "alpha"; "beta"; "gamma"; "delta" ];
  Seeded.iter (fun k v -> Printf.printf "%s:%d " k v) s;
  Printf.printf "%d %b\n" (Seeded.fold (fun _ v n -> v + n) s 0) (Seeded.find_opt s "zeta" = None);
  let stats = Mod7.stats h in
  Printf.printf "%d %d\n" stats.num_bindings stats.num_buckets
