(* flags: -I +runtime_events *)
(* libs: runtime_events.cma *)
(* User events of each type, written and read by the same program. *)
open Runtime_events
type User.tag += One | Two | Sp | Cu
let say fmt = Printf.printf (fmt ^^ "\n%!")
let () =
  start ();
  let unit = User.register "unit event" One Type.unit and int = User.register "int event" Two Type.int and span = User.register "span" Sp Type.span in
  let text = Type.register ~encode:(fun b s -> let n = min (String.length s) (Bytes.length b) in Bytes.blit_string s 0 b 0 n; n) ~decode:(fun b n -> Bytes.sub_string b 0 n) in
  let custom = User.register "custom" Cu text in
  say "%s %s" (User.name unit) (match User.tag int with Two -> "Two" | _ -> "?");
  let cursor = create_cursor None in
  let seen = ref [] in let note s = seen := s :: !seen in
  let callbacks = Callbacks.create ()
    |> Callbacks.add_user_event Type.unit (fun _ _ e () -> note (User.name e)) |> Callbacks.add_user_event Type.int (fun _ _ e n -> note (Printf.sprintf "%s %d" (User.name e) n))
    |> Callbacks.add_user_event Type.span (fun _ _ e v -> note (User.name e ^ (match v with Type.Begin -> " begin" | End -> " end"))) |> Callbacks.add_user_event text (fun _ _ e s -> note (User.name e ^ " " ^ s)) in
  ignore (read_poll cursor callbacks None); seen := [];
  User.write unit (); User.write int 42; User.write int (-1); User.write span Begin; User.write custom "some text"; User.write span End; User.write custom "";
  ignore (read_poll cursor callbacks None); List.iter (say "%s") (List.rev !seen); seen := [];
  pause (); User.write int 7; resume (); User.write int 8; ignore (read_poll cursor callbacks None); List.iter (say "%s") (List.rev !seen);
  (match User.register (String.make 200 'x') One Type.unit with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e)); (match User.register "a\000b" One Type.unit with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e));
  free_cursor cursor; (match read_poll cursor callbacks None with _ -> say "?" | exception e -> say "%s" (Printexc.to_string e))
