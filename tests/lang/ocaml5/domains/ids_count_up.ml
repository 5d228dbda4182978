(* Domain.self, get_id, is_main_domain, self_index. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let me () = (Domain.self () :> int)
let () =
  say "main %d %b %d" (me ()) (Domain.is_main_domain ()) (Domain.self_index ());
  for _ = 1 to 4 do
    let d = Domain.spawn (fun () -> (me (), Domain.is_main_domain (), Domain.self_index ())) in
    let id, main, index = Domain.join d in
    say "%d %d %b %d" (Domain.get_id d :> int) id main index
  done;
  let d = Domain.spawn (fun () ->
    let e = Domain.spawn (fun () -> (me (), Domain.self_index ())) in
    (me (), Domain.self_index (), Domain.join e)) in
  let a, b, (c, e) = Domain.join d in
  say "%d %d %d %d" a b c e;
  let stop = Atomic.make false in
  let wait () = while not (Atomic.get stop) do Domain.cpu_relax () done; (me (), Domain.self_index ()) in
  let d1 = Domain.spawn wait in
  let d2 = Domain.spawn wait in
  let d3 = Domain.spawn wait in
  say "%d %d %d" (Domain.get_id d1 :> int) (Domain.get_id d2 :> int) (Domain.get_id d3 :> int);
  Atomic.set stop true;
  List.iter (fun d -> let id, index = Domain.join d in say "id %d index %d" id index) [d1; d2; d3];
  say "%b" (Domain.recommended_domain_count () >= 1)
