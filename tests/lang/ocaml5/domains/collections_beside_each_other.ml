(* Domains allocate, share and drop values while others collect. *)
let rec tree n = if n = 0 then [] else [ Obj.repr (tree (n - 1)); Obj.repr (string_of_int n) ]
let rec size t = List.fold_left (fun s x -> if Obj.tag x = Obj.string_tag then s + 1 else s + size (Obj.obj x)) 1 t
let work i () =
  let kept = ref [] in
  for j = 1 to 40 do
    kept := tree (10 + ((i + j) mod 20)) :: !kept;
    if j mod 10 = 0 then Gc.minor ();
    if j mod 20 = 0 then kept := List.filteri (fun k _ -> k mod 2 = 0) !kept
  done;
  if i mod 2 = 0 then Gc.full_major ();
  List.fold_left (fun s t -> s + size t) 0 !kept

let exchange () =
  (* values of one domain are read and changed by others *)
  let cells = Array.init 8 (fun i -> Atomic.make [ i ]) in
  let turn i () =
    for j = 1 to 500 do
      let c = cells.((i + j) mod 8) in
      let rec add () =
        let l = Atomic.get c in
        let shorter = List.filteri (fun k _ -> k < 20) l in
        if not (Atomic.compare_and_set c l (((i * 1000) + j) :: shorter)) then add () in
      add ();
      if j mod 100 = 0 then Gc.compact ()
    done in
  List.iter Domain.join (List.init 3 (fun i -> Domain.spawn (turn i)));
  Array.for_all (fun c -> List.length (Atomic.get c) >= 1) cells

let () =
  let alone = List.init 4 (fun i -> work i ()) in
  let domains = List.init 4 (fun i -> Domain.spawn (work i)) in
  Printf.printf "%b\n" (List.map Domain.join domains = alone);
  Printf.printf "%b\n" (exchange ())
