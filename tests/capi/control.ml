(* Control between OCaml and stubs: exceptions, callbacks, waiting, marshalling. *)
external raise_c : int -> exn -> unit = "t_raise"
external most_recent : exn -> bool = "t_most_recent"
external empty_backtrace : unit -> unit = "t_empty_backtrace"
external backtraces_on : unit -> bool = "t_backtraces_on"
external format_exception : exn -> string = "t_format_exception"
external call : 'a -> int -> string -> string = "t_call"
external call_exn : 'a -> int -> string -> string * string = "t_call_exn"
external nest : (int -> int) -> int -> int = "t_nest"
external named : string -> bool = "t_named"
external meth : < .. > -> int -> int = "t_method"
external block : float -> int = "t_block"
external block_no_pending : unit -> int = "t_block_no_pending"
external hooks : unit -> int = "t_hooks"
external pending : unit -> unit = "t_pending"
external pending_exn : unit -> Obj.t = "t_pending_exn"
external signal_numbers : int -> int = "t_signal_numbers"
external sigmask : int -> int = "t_sigmask"
external debugger : unit -> int = "t_debugger"
type record
external record_register : unit -> unit = "t_record_register"
external record : bool -> int -> record = "t_record"
external marshal_to_block : 'a -> Marshal.extern_flags list -> int -> 'a = "t_marshal_to_block"
external marshal_to_malloc : 'a -> Marshal.extern_flags list -> string = "t_marshal_to_malloc"

exception Constant
exception One of string
exception Pair of string * string

let () =
  Callback.register_exception "T.Constant" Constant;
  Callback.register_exception "T.One" (One "");
  Callback.register_exception "T.Pair" (Pair ("", ""))

let say fmt = Printf.printf (fmt ^^ "\n%!")
let garbage () = for i = 1 to 200 do ignore (Sys.opaque_identity (string_of_int i)) done
let show f = try say "%s" (f ()) with e -> say "raised %s" (Printexc.to_string e)

let exceptions () =
  for i = 0 to 17 do
    show (fun () -> raise_c i (One "given"); "nothing");
    garbage ()
  done;
  say "%s" (format_exception (Pair ("a", "b")));
  say "%s" (format_exception (Failure "f"));
  say "%s" (format_exception Not_found)

let concat10 a b c d e f g h i j = String.concat "" [ a; b; c; d; e; f; g; h; i; j ]

let callbacks () =
  show (fun () -> call (fun a -> garbage (); a ^ "!") 1 "x");
  show (fun () -> call (fun a b -> garbage (); a ^ b) 2 "x");
  show (fun () -> call (fun a b c -> a ^ b ^ c) 3 "x");
  show (fun () -> call concat10 10 "y");
  (* More arguments than the function has parameters: it returns one that takes the rest. *)
  show (fun () ->
      call (fun a b c d e f g h i j -> garbage (); fun k -> concat10 a b c d e f g h i (j ^ k)) 11 "z");
  let rec eat n acc = fun (s : string) ->
    garbage ();
    if n = 1 then Obj.repr (String.concat "" (List.rev (s :: acc)))
    else Obj.repr (eat (n - 1) (s :: acc)) in
  show (fun () -> call (eat 40 []) 40 "w");
  show (fun () -> call (fun _ -> raise (One "out of a callback")) 1 "x");
  for i = 1 to 4 do
    let k, r = call_exn (match i with
      | 1 -> Obj.repr (fun a -> garbage (); a)
      | 2 -> Obj.repr (fun a b -> garbage (); a ^ b)
      | 3 -> Obj.repr (fun a b c -> garbage (); a ^ b ^ c)
      | _ -> Obj.repr (fun a b c d -> garbage (); a ^ b ^ c ^ d)) i "r" in
    say "%s %s" k r
  done;
  let k, r = call_exn (fun _ -> garbage (); raise (One "caught in C")) 1 "e" in
  say "%s %s" k r;
  let rec down n = if n = 0 then 0 else (garbage (); 1 + nest down (n - 1)) in
  say "%d" (down 50);
  let rec fall n = if n = 0 then raise Constant else 1 + nest fall (n - 1) in
  (try ignore (fall 50) with Constant -> say "through 50 levels");
  garbage ();
  (* Handlers at every other level, each of which must find its own locals again. *)
  let rec mixed n =
    if n = 0 then raise Not_found
    else if n land 1 = 0 then (try nest mixed (n - 1) with Not_found -> garbage (); if n < 20 then raise Not_found else n)
    else nest mixed (n - 1) in
  say "%d" (mixed 41);
  say "%b %b" (named "T.One") (named "no such name");
  let o = object method twice n = garbage (); 2 * n end in
  say "%d %d" (meth o 21) (meth (object method other = 1 end) 1)

let waiting () =
  say "%d %d %d" (block 0.001) (block_no_pending ()) (hooks ());
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> say "handler"));
  Unix.kill (Unix.getpid ()) Sys.sigusr1;
  ignore (block 0.0);
  (* Again and again: the first one may come before the waiting begins. *)
  let alarms = ref 0 in
  Sys.set_signal Sys.sigalrm
    (Sys.Signal_handle (fun _ -> incr alarms; if !alarms = 1 then say "alarm"));
  let alarm_each seconds =
    ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = seconds; it_value = seconds }) in
  alarm_each 0.02;
  let interrupted = block 10. <> 0 in
  alarm_each 0.;
  say "%b" interrupted;
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> raise Constant));
  (try
     Unix.kill (Unix.getpid ()) Sys.sigusr1;
     ignore (block 0.0);
     say "not raised"
   with Constant -> say "raised by a handler");
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> say "handled"));
  say "%d" (sigmask Sys.sigusr1);
  pending ();
  say "%b" (Obj.is_int (pending_exn ()));
  say "%d %d %d" (signal_numbers Sys.sigint) (signal_numbers Sys.sigchld) (signal_numbers 40);
  say "%d" (debugger ())

let marshalling () =
  record_register ();
  let check fixed =
    let r = record fixed 5 in
    let text = Marshal.to_string (r, "x", r) [] in
    say "%d %s" (String.length text) (Digest.to_hex (Digest.string text));
    let (a : record), s, (b : record) = Marshal.from_string text 0 in
    garbage ();
    say "%b %s %b" (a = r) s (a == b);
    show (fun () -> Marshal.to_string [ record fixed 13 ] []);
    let bad = Marshal.to_string [ record fixed 77 ] [] in
    show (fun () -> ignore (Marshal.from_string bad 0 : record list); "read");
    let worse = Marshal.to_string (record fixed 3, record fixed 78, [ "not"; "read" ]) [] in
    show (fun () ->
        ignore (Marshal.from_string worse 0 : record * record * string list);
        "read");
    let l = marshal_to_block [ record fixed 1; record fixed 2 ] [] 3000 in
    garbage ();
    say "%b" (l = [ record fixed 1; record fixed 2 ]);
    show (fun () -> ignore (marshal_to_block (record fixed 1) [] 20); "fits");
    let name = Filename.temp_file "capi" "" in
    let oc = open_out_bin name in
    for i = 0 to 9 do output_value oc (record fixed (20 + i)) done;
    close_out oc;
    let ic = open_in_bin name in
    for i = 0 to 9 do if (input_value ic : record) <> record fixed (20 + i) then say "differs" done;
    close_in ic;
    Sys.remove name in
  check false;
  check true;
  say "%S" (marshal_to_malloc [ 1; 2; 3 ] [ Marshal.No_sharing ])

(* What Caml_state says of the exception that was raised last. *)
let backtraces () =
  let rec deep n e = if n = 0 then raise e else 1 + deep (n - 1) e in
  let frames () = Printexc.raw_backtrace_length (Printexc.get_raw_backtrace ()) in
  say "%b" (backtraces_on ());
  Printexc.record_backtrace true;
  say "%b" (backtraces_on ());
  let one = Failure "one" and two = Failure "two" in
  (try ignore (deep 3 one) with _ -> say "%d frames" (frames ()));
  garbage ();
  Gc.full_major ();
  say "%b %b" (most_recent one) (most_recent two);
  (try ignore (deep 5 two) with _ -> empty_backtrace (); say "%d frames" (frames ()));
  say "%b %b" (most_recent one) (most_recent two);
  (try (try ignore (deep 4 one) with e -> empty_backtrace (); raise e)
   with _ -> say "%d frames" (frames ()));
  (try raise_c 0 one with _ -> say "%d frames" (frames ()));
  Printexc.record_backtrace false;
  say "%b %d" (backtraces_on ()) (frames ())

let () =
  backtraces ();
  exceptions ();
  callbacks ();
  waiting ();
  marshalling ();
  Gc.full_major ()
