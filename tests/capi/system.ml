(* The system, the process and pending actions, through functions of the runtime. *)
external sys_error : int -> string -> unit = "t_sys_error"
external fds : Unix.file_descr -> Unix.file_descr -> string = "t_fds"
external names : string -> string = "t_names"
external search : string -> string = "t_search"
external libraries : unit -> int = "t_libraries"
external process : Unix.file_descr -> string = "t_process"
external messages : unit -> int = "t_messages"
external modify_argv : string array -> unit = "t_modify_argv"
external md5 : unit -> string = "t_md5"
external input_from_malloc : string -> 'a = "t_input_from_malloc"
external end_ : int -> exn -> unit = "t_end"
external iterate : unit -> bool = "t_iterate"
external global : unit -> unit = "t_global"
external special : Obj.t -> bool = "t_special"
external raise_if : (unit -> 'a) -> 'a = "t_raise_if"
external print_backtrace : unit -> bool = "t_print_backtrace"
external record : bool -> int = "t_record_backtraces"
external stack : unit -> int = "t_stack"
external actions : int -> int -> Obj.t -> Obj.t = "t_actions"
external signal_action : int -> int -> int = "t_signal_action"

exception Own of string

let say fmt = Printf.printf (fmt ^^ "\n%!")
let garbage () = for i = 1 to 200 do ignore (Sys.opaque_identity (string_of_int i)) done
let show f = try say "%s" (f ()) with e -> say "raised %s" (Printexc.to_string e)

let files () =
  for i = 0 to 3 do show (fun () -> sys_error i "name"; "nothing") done;
  let a, b = Unix.pipe () in
  show (fun () -> fds a b);
  Unix.close a; Unix.close b;
  let folder = Filename.temp_file "capi" "" in
  Sys.remove folder;
  Sys.mkdir folder 0o700;
  let files = List.map (Filename.concat folder) [ "a"; "b"; "c"; "lib.so" ] in
  List.iter (fun f -> close_out (open_out f)) files;
  say "%s" (names folder);
  Sys.chdir folder;
  say "%s" (search ("/nowhere::" ^ Filename.dirname folder));
  Sys.chdir (Filename.dirname folder);
  let found = search ("/nowhere:" ^ Filename.basename folder) in
  say "%s" (String.concat "FOLDER" (Str.split_delim (Str.regexp_string (Filename.basename folder)) found));
  List.iter Sys.remove files;
  Sys.rmdir folder

let the_process () =
  say "%d" (libraries ());
  let null = Unix.openfile "/dev/null" [ Unix.O_RDONLY ] 0 in
  say "%s" (process null);
  say "%d" (messages ());
  modify_argv [| "another"; "name" |];
  garbage ();
  say "%s" (String.concat " " (Array.to_list Sys.argv));
  say "%s" (md5 ());
  let v = input_from_malloc (Marshal.to_string (List.init 100 string_of_int, 2.5) []) in
  garbage ();
  say "%d %g" (List.length (fst v)) (snd v);
  show (fun () -> input_from_malloc (String.make 40 'x'))

let exceptions () =
  Callback.register "T.named" "its value";
  say "%b" (iterate ());
  let tag e = let r = Obj.repr e in if Obj.tag r = 0 then Obj.field r 0 else r in
  say "%b %b %b" (special (tag (Match_failure ("f", 1, 2)))) (special (tag (Failure "x")))
    (special (tag (Assert_failure ("f", 1, 2))));
  show (fun () -> global (); "returned");
  show (fun () -> raise_if (fun () -> garbage (); "fine"));
  show (fun () -> raise_if (fun () -> garbage (); raise (Own "passed on")));
  say "%d" (record true);
  (try raise_if (fun () -> raise (Own "with a backtrace")) with Own _ -> say "%b" (print_backtrace ()));
  ignore (record false);
  say "%b" (Printexc.backtrace_status ());
  let rec deep n = if n = 0 then stack () else (let r = deep (n - 1) in r + 0) in
  say "%b" (deep 100 > stack () + 100)

let pending () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> garbage (); say "handler"));
  for i = 0 to 4 do
    say "%s" (Obj.obj (actions i Sys.sigusr1 (Obj.repr (string_of_int i))))
  done;
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> garbage (); raise (Own "of a handler")));
  for i = 0 to 4 do
    show (fun () -> Obj.obj (actions i Sys.sigusr1 (Obj.repr (string_of_int i))))
  done;
  say "%b" (Obj.obj (actions 5 0 (Obj.repr ())));
  let finalised = ref 0 in
  for i = 1 to 5 do Gc.finalise (fun _ -> incr finalised) (ref i) done;
  say "%s" (Obj.obj (actions 6 0 (Obj.repr ())));
  say "%d" !finalised;
  say "%d" (Obj.obj (actions 7 0 (Obj.repr ())));
  say "%d" (signal_action Sys.sigusr1 1);
  Unix.kill (Unix.getpid ()) Sys.sigusr1;
  say "%d" (signal_action Sys.sigusr1 2);
  show (fun () -> Unix.kill (Unix.getpid ()) Sys.sigusr1; ignore (Sys.opaque_identity (ref 0)); "no");
  say "%d %d" (signal_action Sys.sigusr1 0) (signal_action Sys.sigusr1 0);
  say "%d" (signal_action Sys.sigkill 1)

(* The parent prints how each child ended. *)
let the_end () =
  at_exit (fun () -> say "at_exit");
  for i = 0 to 2 do
    match Unix.fork () with
    | 0 -> end_ i (Own "not caught")
    | child ->
      (match Unix.waitpid [] child with
       | _, Unix.WEXITED n -> say "%d exited: %d" i n
       | _, Unix.WSIGNALED n -> say "%d killed: %d" i n
       | _ -> say "stopped")
  done

let () = files (); the_process (); exceptions (); pending (); the_end ()
