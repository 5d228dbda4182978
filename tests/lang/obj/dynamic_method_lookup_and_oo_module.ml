let () =
  let o = object method alpha = 1 method beta x = x * 2 end in
  let send name = CamlinternalOO.send (Obj.magic o) (CamlinternalOO.public_method_label name) in
  Printf.printf "%d\n" (Obj.magic (send "alpha"));
  Printf.printf "%d\n" ((Obj.magic (send "beta") : int -> int) 21);
  let s = CamlinternalOO.stats () in
  Printf.printf "%b %b\n" (s.CamlinternalOO.classes > 0) (s.methods > 0);
  let c = Oo.copy o in
  Printf.printf "%b %d\n" (Oo.id c > Oo.id o) (c#beta c#alpha);
  Printf.printf "%d %d\n" (Oo.public_method_label "alpha" |> Obj.magic) (Oo.public_method_label
      "beta" |> Obj.magic)
