(* libs: unix.cma *)
(* Long comparisons while handlers of signals allocate, collect, and raise: what is compared moves,
   and the result is the same. *)

type tree = Leaf of float | Node of tree array * string

let rec tree depth i =
  if depth = 0 then Leaf (float_of_int i)
  else Node (Array.init 4 (fun k -> tree (depth - 1) (4 * i + k)), string_of_int i)

let rec chain n = if n = 0 then [] else ref [ n ] :: chain (n - 1)

(* 20,000 levels down on the left, so that much of the way is still to be gone at each moment. *)
let rec left n = if n = 0 then Leaf 0. else Node ([| left (n - 1); Leaf (float_of_int n) |], "")

let calls = ref 0
let held = ref []

let work () =
  incr calls;
  held := Array.make 1000 (ref !calls) :: (if !calls mod 50 = 0 then [] else !held);
  match !calls mod 7 with 0 -> Gc.compact () | 1 | 2 -> Gc.minor () | _ -> ()

let timer seconds =
  ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.; it_value = seconds })

let check name expected f =
  let wrong = ref 0 in
  for _ = 1 to 3 do if f () <> expected then incr wrong done;
  Printf.printf "%s: %d wrong\n%!" name !wrong

let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> work (); timer 0.001));
  timer 0.001;
  let a = tree 6 0 and b = tree 6 0 and c = tree 6 1 in
  check "equal trees" 0 (fun () -> compare a b);
  check "other trees" (-1) (fun () -> compare a c);
  (* Young ones are compared with old ones, and become old meanwhile. *)
  check "young trees" true (fun () -> tree 5 3 = tree 5 3);
  let l = chain 30_000 and m = chain 30_000 in
  check "lists" true (fun () -> l = m);
  check "the last item differs" true (fun () -> l @ [ ref [ 1 ] ] < m @ [ ref [ 2 ] ]);
  check "deep on the left" 0 (fun () -> compare (left 20_000) (left 20_000));
  timer 0.;
  Printf.printf "%b\n" (!calls > 0)
