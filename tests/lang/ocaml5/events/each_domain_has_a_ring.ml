(* flags: -I +runtime_events *)
(* stress: no: more collections write more events *)
(* libs: runtime_events.cma *)
(* Each domain has a ring, which a later domain of the same index continues. *)
open Runtime_events

type User.tag += T
let i = User.register "int" T Type.int

let () =
  start ();
  let cursor = create_cursor None in
  let events = ref [] in
  let note d text = events := Printf.sprintf "%d %s" d text :: !events in
  let callbacks =
    Callbacks.create ~lifecycle:(fun d _ what n ->
        note d (lifecycle_name what ^ match n with None -> "" | Some n -> if n = 0 then " 0" else " n")) ()
    |> Callbacks.add_user_event Type.int (fun d _ _ n -> note d (string_of_int n)) in
  let poll () =
    ignore (read_poll cursor callbacks None);
    List.iter print_endline (List.stable_sort (fun a b -> compare a.[0] b.[0]) (List.rev !events));
    events := [] in
  User.write i 1;
  Domain.join (Domain.spawn (fun () -> User.write i 10));
  poll ();
  Domain.join (Domain.spawn (fun () -> User.write i 20; Domain.join (Domain.spawn (fun () -> User.write i 30))));
  User.write i 2;
  poll ()
