(* env: OCAMLRUNPARAM=e=10 *)
(* flags: -I +runtime_events *)
(* stress: no: more collections write more events *)
(* libs: runtime_events.cma *)
(* EV1: a ring of 1,024 words keeps its newest events, whole, whatever their lengths; a cursor that
   reads in time sees all. *)
open Runtime_events

type User.tag += T
let bytes_type = Type.register
    ~encode:(fun b s -> let n = String.length s in Bytes.blit_string s 0 b 0 n; n)
    ~decode:(fun b n -> Bytes.sub_string b 0 n)
let i = User.register "int" T Type.int
let b = User.register "bytes" T bytes_type
let next = ref 0 and wrong = ref 0 and seen = ref 0 and lost = ref false
let check n = if n <> !next then incr wrong; incr seen; next := n + 1
let callbacks =
  Callbacks.create ~lost_events:(fun _ n -> if n > 0 then lost := true) ()
  |> Callbacks.add_user_event Type.int (fun _ _ _ n -> check n)
  |> Callbacks.add_user_event bytes_type (fun _ _ _ s ->
      let n = int_of_string (String.trim s) in
      if String.length s <> 10 + n mod 90 then incr wrong;
      check n)
let write n = if n mod 3 = 0 then User.write i n else User.write b (Printf.sprintf "%-*d" (10 + n mod 90) n)

let () =
  start ();
  let cursor = create_cursor None in
  for n = 0 to 9_999 do
    write n;
    if n mod 10 = 0 then ignore (read_poll cursor callbacks None)
  done;
  ignore (read_poll cursor callbacks None);
  Printf.printf "%d %d %b\n" !seen !wrong !lost;
  for n = 10_000 to 19_999 do write n done;
  seen := 0;
  ignore (read_poll cursor callbacks None);
  (* Those before are lost, which is the one gap. *)
  Printf.printf "%b %b %d %b\n" (!seen > 50) (!seen < 500) !wrong (!next = 20_000)
