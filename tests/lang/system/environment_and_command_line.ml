(* args: one "two words" "" -flag *)
(* env: GREETING=hello EMPTY= *)
let () =
  Array.iteri (fun i a -> if i > 0 then Printf.printf "%d:%S\n" i a) Sys.argv;
  print_endline (Filename.basename Sys.argv.(0));
  print_endline (Filename.basename Sys.executable_name);
  Printf.printf "%s [%s]\n" (Sys.getenv "GREETING") (Sys.getenv "EMPTY");
  Printf.printf "%b\n" (Sys.getenv_opt "NOT_SET" = None);
  (try ignore (Sys.getenv "NOT_SET") with Not_found -> print_endline "Not_found");
  Printf.printf "%s %d %d %b %b %b %b\n" Sys.os_type Sys.word_size Sys.int_size Sys.big_endian
      Sys.unix Sys.win32
    Sys.cygwin;
  Printf.printf "%d %d %d\n" Sys.max_string_length Sys.max_array_length Sys.max_floatarray_length;
  print_endline Sys.ocaml_version;
  (match Sys.backend_type with Sys.Bytecode -> print_endline "bytecode" | _ -> print_endline
      "other");
  Printf.printf "%S %b\n" (Sys.runtime_variant ()) !Sys.interactive;
  Printf.printf "%b\n" (String.length (Sys.runtime_parameters ()) > 0);
  Printf.printf "%b %b\n" (Sys.time () >= 0.0) (Sys.enable_runtime_warnings true;
      Sys.runtime_warnings_enabled ())
