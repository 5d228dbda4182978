(* under: no: valgrind keeps the last signal for itself *)
(* Sys of 5.x: kinds of files, errors, signal 0, polling. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)
let unit f () = f (); "done"
external xdg : unit -> string list = "caml_xdg_defaults"
external poll : 'a -> 'a = "caml_process_pending_actions_with_root"
let () =
  let file = Filename.temp_file "sys" "file" in
  let folder = file ^ ".d" in
  Sys.mkdir folder 0o755;
  List.iter (fun (name, path) ->
      attempt ("regular " ^ name) (fun () -> string_of_bool (Sys.is_regular_file path));
      attempt ("directory " ^ name) (fun () -> string_of_bool (Sys.is_directory path));
      attempt ("exists " ^ name) (fun () -> string_of_bool (Sys.file_exists path)))
    [ "file", file; "folder", folder; "device", "/dev/null"; "missing", "/nonexistent/x"; "empty", "";
      "nul", "/etc\000/passwd"; "below a file", "/dev/null/x" ];
  Sys.rmdir folder; Sys.remove file;
  attempt "chdir nul" (unit (fun () -> Sys.chdir "a\000b"));
  attempt "getenv nul" (fun () -> Sys.getenv "A\000B");
  attempt "getenv_opt" (fun () -> match Sys.getenv_opt "NO_SUCH_VARIABLE_X" with None -> "none" | Some s -> s);
  attempt "getenv empty" (fun () -> Sys.getenv "");
  attempt "command nul" (fun () -> string_of_int (Sys.command "a\000b"));
  attempt "rename" (unit (fun () -> Sys.rename "/nonexistent/a" "b"));
  p "xdg %s" (String.concat ":" (xdg ()))

let () =
  List.iter (fun s ->
      attempt (Printf.sprintf "signal %d" s) (fun () ->
          match Sys.signal s Sys.Signal_ignore with
          | Sys.Signal_default -> ignore (Sys.signal s Sys.Signal_default); "default"
          | Sys.Signal_ignore -> "ignore"
          | Sys.Signal_handle _ -> "handle"))
    [ 0; -30; -100; 65; 1000; Sys.sigusr1; Sys.sigterm; Sys.sigkill; Sys.sigstop; 12; 64; 32 ];
  let seen = ref 0 in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun n -> if n = Sys.sigusr1 then incr seen));
  p "polled %d %s" (poll 5) (poll "x");
  Sys.poll_actions ();
  attempt "set 0" (unit (fun () -> Sys.set_signal 0 Sys.Signal_ignore))

let () =
  Gc.finalise (fun r -> p "finalised %d" !r) (ref 3);
  Gc.full_major ();
  p "poll keeps %s" (poll (String.make 3 'k'));
  p "%b %b %d" Sys.unix (Sys.backend_type = Sys.Bytecode) Sys.word_size;
  attempt "exception of a poll" (fun () ->
      Gc.finalise (fun _ -> failwith "from a finaliser") (ref 4);
      Gc.full_major (); Sys.poll_actions (); "nothing")
