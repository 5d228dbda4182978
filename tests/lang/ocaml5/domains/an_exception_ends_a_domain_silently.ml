(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
(* Nobody joins it; then one is joined, and its exception ends the program. *)
exception Lost of int
let[@inline never] lose n = if n > 0 then raise (Lost n) else n
let () = at_exit (fun () -> print_endline "at exit")
let () =
  let done_ = Atomic.make 0 in
  for i = 1 to 3 do
    ignore (Domain.spawn (fun () -> Domain.at_exit (fun () -> Atomic.incr done_); lose i + 1))
  done;
  while Atomic.get done_ < 3 do Domain.cpu_relax () done;
  print_endline "three were lost";
  let d = Domain.spawn (fun () -> lose 4 + 1) in
  print_int (Domain.join d)
