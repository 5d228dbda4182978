(* broadcast wakes everybody; generations do not mix. *)
let n = 4
let lock = Mutex.create () and cond = Condition.create ()
let waiting = ref 0 and generation = ref 0
let barrier () =
  Mutex.lock lock;
  let mine = !generation in
  incr waiting;
  if !waiting = n then begin waiting := 0; incr generation; Condition.broadcast cond end
  else while !generation = mine do Condition.wait cond lock done;
  Mutex.unlock lock
let () =
  let phases = 50 in
  let cells = Array.make_matrix phases n 0 in
  let work i () =
    for p = 0 to phases - 1 do
      cells.(p).(i) <- (if p = 0 then i + 1 else (cells.(p - 1).((i + 1) mod n) + cells.(p - 1).((i + n - 1) mod n)) mod 9973);
      barrier ()
    done in
  List.iter Domain.join (List.init n (fun i -> Domain.spawn (work i)));
  List.iter (fun p -> Array.iter (Printf.printf "%d ") cells.(p); print_newline ()) [0; 1; 2; 10; 49];
  Printf.printf "%d\n" !generation
