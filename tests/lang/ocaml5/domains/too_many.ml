(* env: OCAMLRUNPARAM=d=4 *)
(* The limit of domains counts those that run. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  let stop = Atomic.make false in
  let wait () = while not (Atomic.get stop) do Domain.cpu_relax () done; 1 in
  let rec fill l = match Domain.spawn wait with d -> fill (d :: l) | exception Failure s -> say "%d, then %s" (List.length l) s; l in
  let l = fill [] in
  let l' = fill [] in
  Atomic.set stop true;
  say "%d %d" (List.fold_left (fun s d -> s + Domain.join d) 0 l) (List.length l');
  say "%d" (Domain.join (Domain.spawn wait));
  Atomic.set stop false;
  let l = fill [] in
  Atomic.set stop true;
  List.iter (fun d -> ignore (Domain.join d)) l;
  for i = 1 to 20 do ignore (Domain.join (Domain.spawn wait)) done;
  say "%b" (Domain.recommended_domain_count () <= 4)
