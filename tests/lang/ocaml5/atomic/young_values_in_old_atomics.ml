(* Every primitive that stores keeps young values alive across minor collections. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let fresh i = [| string_of_int i; String.make 3 'v' |]
let () =
  let cells = Array.init 200 (fun i -> Atomic.make (fresh i)) in
  let contended = Array.init 20 (fun i -> Atomic.make_contended (fresh i)) in
  Gc.full_major ();
  Array.iteri (fun i c -> match i mod 3 with
    | 0 -> Atomic.set c (fresh (i * 2))
    | 1 -> ignore (Atomic.exchange c (fresh (i * 3)))
    | _ -> assert (Atomic.compare_and_set c (Atomic.get c) (fresh (i * 5)))) cells;
  Array.iteri (fun i c -> Atomic.set c (fresh (i + 1000))) contended;
  Gc.minor ();
  for i = 1 to 1000 do ignore (Sys.opaque_identity (fresh i)) done;
  Gc.minor ();
  let sum a = Array.fold_left (fun s c -> s + int_of_string (Atomic.get c).(0) + String.length (Atomic.get c).(1)) 0 a in
  say "%d %d" (sum cells) (sum contended);
  Gc.full_major ();
  say "%d %d" (sum cells) (sum contended);
  let failing = Array.init 50 (fun i -> Atomic.make (fresh i)) in
  Gc.full_major ();
  Array.iteri (fun i c -> assert (not (Atomic.compare_and_set c (fresh i) (fresh 0)))) failing;
  Gc.compact ();
  say "%d" (sum failing);
  let stack = Atomic.make [] in
  for i = 1 to 30_000 do Atomic.set stack (string_of_int i :: (if i mod 1000 = 0 then [] else Atomic.get stack)) done;
  say "%d" (List.length (Atomic.get stack))
