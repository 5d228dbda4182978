(* ocaml5: no: it lacks some of them *)
(* What the standard library does not declare, or not any more, called as its C code allows. *)
external weak_create : int -> Obj.t = "caml_weak_create"
external weak_set : Obj.t -> int -> Obj.t option -> unit = "caml_weak_set"
external weak_get : Obj.t -> int -> Obj.t option = "caml_weak_get"
external isatty : in_channel -> bool = "caml_sys_isatty"
external unsafe_getenv : string -> string = "caml_sys_unsafe_getenv"
external terminfo_rows : out_channel -> int = "caml_terminfo_rows"
external reset_afl : unit -> unit = "caml_reset_afl_instrumentation"
external alloc_dummy_infix : int -> int -> Obj.t = "caml_alloc_dummy_infix"
external fill_string : bytes -> int -> int -> char -> unit = "caml_fill_string"
external create_string : int -> bytes = "caml_create_string"
external string_set : bytes -> int -> char -> unit = "caml_string_set"
external eventlog_resume : unit -> unit = "caml_eventlog_resume"
external eventlog_pause : unit -> unit = "caml_eventlog_pause"

let () =
  let w = weak_create 2 and key = Obj.repr (ref 5) in
  weak_set w 0 (Some key);
  Printf.printf "%b %b\n" (weak_get w 0 = Some key) (weak_get w 1 = None);
  weak_set w 0 None;
  Printf.printf "%b\n" (weak_get w 0 = None);
  Printf.printf "%b\n" (isatty stdin);
  (try print_endline (unsafe_getenv "NOT_SET_AT_ALL") with Not_found -> print_endline "Not_found");
  print_endline (unsafe_getenv "LC_ALL");
  Printf.printf "%d\n" (terminfo_rows stdout);
  reset_afl ();
  Printf.printf "%d\n" (Obj.tag (alloc_dummy_infix 5 0));
  let b = create_string 6 in
  fill_string b 0 6 '.';
  string_set b 2 'x';
  print_endline (Bytes.to_string b);
  (try string_set b 6 'y' with Invalid_argument s -> print_endline s);
  eventlog_pause ();
  eventlog_resume ();
  ignore (Sys.opaque_identity key)
