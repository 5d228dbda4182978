(* ocaml5: no: what is pending when a callback raises waits for the next collection *)
(* stress: no: counts on blocks that die young *)
(* flags: -g *)
(* An exception of a callback surfaces where the callback ran, ends the tracking of that block alone,
   and loses nothing else. *)
open Gc.Memprof
exception E of string

let keep = ref [||]
let log = ref []
let say s = log := s :: !log
let show title = Printf.printf "-- %s\n" title; List.iter print_endline (List.rev !log); log := []
let attempt name f =
  match f () with
  | () -> say (name ^ ": fine")
  | exception E s -> say (name ^ ": E " ^ s)

let size_is n (a : allocation) = a.size = n

let () =
  (* At once: the block is not made. *)
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a -> if size_is 6 a then raise (E "alloc") else None) };
  attempt "direct" (fun () -> keep := [| 1; 2; 3; 4; 5; Sys.opaque_identity 6 |]);
  attempt "direct again" (fun () -> keep := [| 1; 2; 3; 4; 5; Sys.opaque_identity 6 |]);
  attempt "another size" (fun () -> keep := [| 1; 2; 3; 4; Sys.opaque_identity 5 |]);
  say (string_of_int (Array.length !keep));
  stop ();
  show "alloc_minor"

let () =
  (* Blocks of C exist when their callback raises, at the next poll. *)
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a -> if size_is 6 a then raise (E "young") else None);
      alloc_major = (fun a -> if size_is 600 a then raise (E "old") else None) };
  attempt "young" (fun () -> keep := Array.make 6 0; ignore (Sys.opaque_identity (ref 0)));
  say (string_of_int (Array.length !keep));
  attempt "old" (fun () -> keep := Array.make 600 0; ignore (Sys.opaque_identity (ref 0)));
  say (string_of_int (Array.length !keep));
  stop ();
  show "postponed"

let () =
  (* Each of several pending callbacks raises: none is lost. *)
  let deaths = ref 0 and caught = ref 0 in
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a -> if size_is 6 a then Some () else None);
      dealloc_minor = (fun () -> incr deaths; raise (E "dead")) };
  for i = 1 to 10 do keep := Array.make 6 i done;
  keep := [||];
  (* What a handler polls raises the next one, so each stands in another. *)
  let poll () = () in
  let rec guard n f =
    if n = 0 then f () else try guard (n - 1) f with E _ -> incr caught; poll () in
  guard 15 Gc.minor;
  stop ();
  Printf.printf "deaths %d, caught at least two: %b\n" !deaths (!caught > 1)

let () =
  (* promote raises: no death is reported; the others continue. *)
  let promoted = ref 0 and died = ref 0 in
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a -> if size_is 6 a then Some () else None);
      promote = (fun () -> incr promoted; if !promoted = 2 then raise (E "promote") else Some ());
      dealloc_major = (fun () -> incr died) };
  let blocks = Array.make 5 [||] in
  for i = 0 to 4 do blocks.(i) <- Array.make 6 i done;
  attempt "minor" Gc.minor;
  for _ = 1 to 10 do ignore (Sys.opaque_identity (ref 0)) done;
  Array.fill blocks 0 5 [||];
  Gc.full_major ();
  stop ();
  say (Printf.sprintf "promoted %d, died %d" !promoted !died);
  show "promote"

let () =
  (* dealloc raises: sampling goes on afterwards. *)
  let calls = ref 0 in
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a -> incr calls; if size_is 6 a then Some () else None);
      dealloc_minor = (fun () -> raise (E "dealloc")) };
  ignore (Sys.opaque_identity (Array.make 6 0));
  attempt "minor" Gc.minor;
  let before = !calls in
  ignore (Sys.opaque_identity (ref 0));
  say (Printf.sprintf "still sampling: %b" (!calls > before));
  stop ();
  show "dealloc"

let () =
  (* A callback's exception takes the place of one that C code raises. *)
  let armed = ref false in
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a -> if size_is 9 a && !armed then raise (E "mine") else None) };
  let n = Sys.opaque_identity 9 and bad = Sys.opaque_identity (-1) in
  armed := true;
  (match let a = Array.make n 0 in Array.make bad a with
   | _ -> say "nothing"
   | exception E s -> say ("E " ^ s)
   | exception Invalid_argument s -> say ("Invalid_argument " ^ s));
  armed := false;
  stop ();
  show "two exceptions"

let () =
  (* Finalisers and callbacks inside a callback. *)
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with
      alloc_minor = (fun a ->
        if size_is 6 a then begin
          (try raise Not_found with Not_found -> say "inner exception");
          let r = ref 0 in
          Gc.finalise (fun _ -> say "finaliser inside") r;
          Gc.full_major ()
        end;
        None) };
  keep := [| 1; 2; 3; 4; 5; Sys.opaque_identity 6 |];
  say "after";
  stop ();
  show "a callback with everything"

let () =
  (* The handler is the innermost one of the program. *)
  start ~callstack_size:0 ~sampling_rate:1.
    { null_tracker with alloc_minor = (fun a -> if size_is 6 a then raise Exit else None) };
  let rec deep n = if n = 0 then Array.length [| 1; 2; 3; 4; 5; Sys.opaque_identity 6 |]
    else 1 + (if n mod 7 = 3 then (try deep (n - 1) with Not_found -> 0) else deep (n - 1)) in
  say (match deep 1000 with n -> string_of_int n | exception Exit -> "Exit");
  stop ();
  show "deep"
