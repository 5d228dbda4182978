let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with s -> say "%s: %s" name s | exception e -> say "%s: %s" name (Printexc.to_string e)
let b f () = string_of_bool (f ())
let () =
  say "%s" (Sys.runtime_parameters ());
  show "regular" (b (fun () -> Sys.is_regular_file "/etc/passwd")); show "regular folder" (b (fun () -> Sys.is_regular_file "/etc")); show "regular none" (b (fun () -> Sys.is_regular_file "/none")); show "directory none" (b (fun () -> Sys.is_directory "/none")); show "directory" (b (fun () -> Sys.is_directory "/etc")); show "nul" (b (fun () -> Sys.is_regular_file "a\000b")); show "nul exists" (b (fun () -> Sys.file_exists "a\000b"));
  show "mkdir" (fun () -> Sys.mkdir "new" 0o755; Sys.chdir "new"; Filename.basename (Sys.getcwd ())); show "rmdir" (fun () -> Sys.chdir ".."; Sys.rmdir "new"; "gone"); show "rmdir none" (fun () -> Sys.rmdir "new"; "?");
  show "rename none" (fun () -> Sys.rename "none" "other"; "?"); show "remove none" (fun () -> Sys.remove "none"; "?"); show "readdir none" (fun () -> string_of_int (Array.length (Sys.readdir "none"))); show "chdir none" (fun () -> Sys.chdir "none"; "?");
  show "getenv" (fun () -> Sys.getenv "NO_SUCH_NAME"); show "getenv_opt" (fun () -> match Sys.getenv_opt "TZ" with Some s -> s | None -> "-");
  show "signal 0" (fun () -> Sys.set_signal 0 Signal_ignore; "?"); show "signal 1000" (fun () -> Sys.set_signal 1000 Signal_ignore; "?"); show "signal kill" (fun () -> Sys.set_signal Sys.sigkill Signal_ignore; "?"); show "signal -100" (fun () -> Sys.set_signal (-100) Signal_ignore; "?");
  show "signal" (fun () -> match Sys.signal Sys.sigusr2 Signal_ignore with Signal_default -> (match Sys.signal Sys.sigusr2 (Signal_handle ignore) with Signal_ignore -> "ignored" | _ -> "?") | _ -> "??");
  show "command" (fun () -> string_of_int (Sys.command "exit 3")); show "ocaml_version" (fun () -> Sys.ocaml_version); show "release" (fun () -> Printf.sprintf "%d.%d" Sys.ocaml_release.major Sys.ocaml_release.minor);
  say "%d %d %b %b %b %d %d %s" Sys.word_size Sys.int_size Sys.big_endian Sys.unix Sys.cygwin Sys.max_string_length Sys.max_array_length Sys.os_type; say "%d" Sys.max_floatarray_length; say "%s" (Sys.runtime_variant ()); say "%b" (Sys.poll_actions () = ());
  say "%b" (Sys.opaque_identity 3 = 3); say "%b" (Sys.time () >= 0.); say "%s" (Filename.basename Sys.argv.(0)); say "%b" (Sys.development_version)
