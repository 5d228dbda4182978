(* Domain.before_first_spawn: in order, once, and refused afterwards. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  Domain.before_first_spawn (fun () -> say "one");
  Domain.before_first_spawn (fun () -> say "two"; (try Domain.before_first_spawn (fun () -> say "three") with Invalid_argument s -> say "refused: %s" s));
  say "not yet";
  say "%d" (Domain.join (Domain.spawn (fun () -> 1)));
  say "%d" (Domain.join (Domain.spawn (fun () -> 2)));
  try Domain.before_first_spawn (fun () -> say "never") with Invalid_argument s -> say "%s" s
