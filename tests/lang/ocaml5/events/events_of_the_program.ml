(* flags: -I +runtime_events *)
(* stress: no: more collections write more events *)
(* libs: runtime_events.cma *)
(* Events of all types, written before and after the start and during a pause, read by a cursor. *)
open Runtime_events

type User.tag += First | Second of int

let bytes_type = Type.register
    ~encode:(fun b s -> let n = String.length s in Bytes.blit_string s 0 b 0 n; n)
    ~decode:(fun b n -> Bytes.sub_string b 0 n)
let u = User.register "program.unit" First Type.unit
let i = User.register "program.int" (Second 2) Type.int
let s = User.register "program.span" First Type.span
let b = User.register "program.bytes" First bytes_type

let cursor_of callbacks =
  let cursor = create_cursor None in
  fun () -> read_poll cursor callbacks None

let () =
  (try ignore (create_cursor None) with Failure m -> print_endline m);
  User.write u ();
  Printf.printf "%b\n" (path () = None);
  start ();
  start ();
  Printf.printf "%b\n" (Filename.check_suffix (Option.get (path ())) ".events" && Sys.file_exists (Option.get (path ())));
  let tag e = match User.tag e with First -> "first" | Second n -> string_of_int n | _ -> "other" in
  let say d e = Printf.printf "%d %s (%s): " d (User.name e) (tag e) in
  let callbacks =
    Callbacks.create ~lifecycle:(fun d _ what n -> Printf.printf "%d %s %b\n" d (lifecycle_name what) (n = None))
      ~lost_events:(fun d n -> Printf.printf "%d lost %d\n" d n) ()
    |> Callbacks.add_user_event Type.unit (fun d _ e () -> say d e; print_endline "()")
    |> Callbacks.add_user_event Type.int (fun d _ e n -> say d e; Printf.printf "%d\n" n)
    |> Callbacks.add_user_event Type.span (fun d _ e n -> say d e; print_endline (if n = Begin then "begin" else "end"))
    |> Callbacks.add_user_event bytes_type (fun d _ e n -> say d e; Printf.printf "%S\n" n) in
  let poll = cursor_of callbacks in
  Printf.printf "%d\n" (poll ());
  User.write u ();
  List.iter (User.write i) [0; 1; -1; max_int; min_int];
  User.write s Begin;
  List.iter (User.write b) [""; "a"; "seven b"; "eight by"; "nine byte"; String.make 100 'x'];
  User.write s End;
  Printf.printf "%d\n" (poll ());
  pause ();
  pause ();
  User.write i 7;
  Printf.printf "%d\n" (poll ());
  resume ();
  resume ();
  User.write i 8;
  Printf.printf "%d\n" (poll ());
  (try User.write (User.register "raises" First (Type.register ~encode:(fun _ _ -> raise Exit) ~decode:(fun _ _ -> ()))) ()
   with Exit -> print_endline "raised");
  List.iter (fun name -> try ignore (User.register name First Type.unit); print_endline "registered" with Invalid_argument m -> print_endline m)
    [String.make 127 'a'; String.make 128 'a'; "a\000b"; ""]
