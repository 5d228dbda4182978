(* stress: no: each collection writes events, more than the ring holds *)
(* flags: -I +runtime_events -I +unix *)
(* libs: unix.cma runtime_events.cma *)
(* Events of a program with each type, a cursor that was freed, pauses. *)
open Runtime_events
let p fmt = Printf.printf (fmt ^^ "\n%!")
type User.tag += T1 | T2 of int
let e1 = User.register "my.unit" T1 Type.unit and e2 = User.register "my.int" (T2 3) Type.int and sp = User.register "my.span" T1 Type.span
let custom = Type.register ~encode:(fun b s -> let n = min (String.length s) (Bytes.length b) in Bytes.blit_string s 0 b 0 n; n) ~decode:(fun b n -> Bytes.sub_string b 0 n)
let ec = User.register "my.custom" T1 custom
let () =
  p "%b" (path () = None); start (); p "%b" (path () <> None); let c = create_cursor None in
  User.write e1 (); User.write e2 42; User.write e2 (-1); User.write sp Begin; User.write sp End;
  User.write ec "hello"; User.write ec (String.make 100 'x'); pause (); User.write e2 99; resume ();
  User.write e2 100;
  let tagname = function T1 -> "T1" | T2 n -> "T2 " ^ string_of_int n | _ -> "?" in
  let got = ref 0 in
  let cb = Callbacks.create ~lifecycle:(fun d ts ev arg -> p "life %s %b" (lifecycle_name ev) (arg <> None)) () |> Callbacks.add_user_event Type.unit (fun d ts ev () -> p "unit %s %s" (User.name ev) (tagname (User.tag ev))) |> Callbacks.add_user_event Type.int (fun d ts ev n -> p "int %s %s %d" (User.name ev) (tagname (User.tag ev)) n) |> Callbacks.add_user_event Type.span (fun d ts ev s -> p "span %s" (match s with Begin -> "begin" | End -> "end")) |> Callbacks.add_user_event custom (fun d ts ev s -> p "custom %d" (String.length s)) in
  let n = read_poll c cb None in p "%b" (n > 0); free_cursor c;
  (try ignore (read_poll c cb None) with e -> p "%s" (Printexc.to_string e));
  (try ignore (create_cursor (Some ("/nonexistent", 1))) with e -> p "%s" (Printexc.to_string e));
  (try ignore (User.register (String.make 200 'n') T1 Type.unit); p "long ok" with e -> p "%s" (Printexc.to_string e));
  p "%s %s %s" (runtime_phase_name EV_MINOR) (runtime_counter_name EV_C_MINOR_PROMOTED) (lifecycle_name EV_RING_START);
  let c = create_cursor None in Gc.full_major (); let b = ref 0 and e = ref 0 and ctr = ref 0 in
  let cb = Callbacks.create ~runtime_begin:(fun _ _ _ -> incr b) ~runtime_end:(fun _ _ _ -> incr e) ~runtime_counter:(fun _ _ _ _ -> incr ctr) ~lost_events:(fun d n -> p "lost") () in ignore (read_poll c cb None);
  p "%b %b %b" (!b > 0) (!b = !e) (!ctr > 0); let m = read_poll c cb (Some 5) in p "%d" m
