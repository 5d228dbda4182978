(* S6: blocks that only frames far out know, while major cycles go on: control returns into those
   frames, exceptions unwind past them, calls from C lie between them. *)

let checks = ref 0
let garbage = ref []

(* Keeps the collector at work. *)
let churn n =
  for i = 1 to n do
    if i land 15 = 0 then garbage := [];
    garbage := Array.make (i land 31) (ref i) :: !garbage
  done

let expect b n =
  if !b <> [ n; n + 1 ] then (Printf.printf "frame %d holds something else\n" n; exit 1);
  incr checks

(* Each frame holds a block of its own, which nobody else knows. *)
let rec down work n =
  let b = ref [ n; n + 1 ] in
  let r = if n = 0 then work () else 1 + down work (n - 1) in
  if n land 63 = 0 then churn 3;
  expect b n;
  r

exception Out of int

(* With a handler every 700 frames; the innermost call leaves by one of them. *)
let rec guarded work n =
  let b = ref [ n; n + 1 ] in
  let r =
    if n = 0 then work ()
    else if n mod 700 = 0 then
      try guarded work (n - 1) with Out m when m = n -> churn 40; expect b n; n
    else 1 + guarded work (n - 1) in
  expect b n;
  r

(* Two at a time, so that frames take turns in being dropped and entered. *)
let rec tree d =
  let b = ref [ d; d + 1 ] in
  if d > 0 then begin tree (d - 1); if d land 3 = 0 then tree (d - 4) end
  else churn 2;
  expect b d

let through_a_finaliser n work =
  let done_ = ref false in
  let rec turn m =
    let b = ref [ m; m + 1 ] in
    if m = 0 then begin
      Gc.finalise (fun _ -> if not !done_ then begin done_ := true; ignore (down work n) end)
        (ref (Random.int 10));
      while not !done_ do churn 200 done
    end
    else turn (m - 1);
    expect b m in
  turn n

(* Some turns in one cycle and in the next ones. *)
let work () = for _ = 1 to 12 do churn 40; ignore (Gc.major_slice 2000) done; 0

let () =
  print_int (down work 4_000); print_newline ();
  List.iter
    (fun out ->
      let r = guarded (fun () -> ignore (work ()); raise (Out out)) 4_000 in
      churn 500;
      Printf.printf "%d %d\n" out r)
    [ 700; 1400; 2800; 3_500; 700 ];
  tree 34;
  through_a_finaliser 3_000 work;
  (* From a handler close to the bottom, deep down again, and once more. *)
  let rec again k =
    if k = 0 then 0
    else
      try down (fun () -> ignore (work ()); raise Exit) 4_000
      with Exit -> churn 100; 1 + again (k - 1) in
  print_int (down (fun () -> again 5) 3_000); print_newline ();
  (match down (fun () -> ignore (work ()); failwith "out of everything") 4_000 with
  | _ -> ()
  | exception Failure text -> print_endline text);
  Printf.printf "%b\n" (!checks > 20_000)
