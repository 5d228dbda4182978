(* args: one "two words" "" -x --long=1 *)
(* env: SET=value EMPTY= *)
external get_argv : unit -> string * string array = "caml_sys_get_argv"
external modify_argv : string array -> unit = "caml_sys_modify_argv"
let argv () = snd (get_argv ())

let () =
  Array.iter (Printf.printf "[%s]") Sys.argv;
  print_newline ();
  Printf.printf "%s %b\n" Sys.executable_name (argv () == argv ());
  let name, words = get_argv () in
  Printf.printf "%s %d %b\n" name (Array.length words) (words == argv ());
  modify_argv [| "a"; "b" |];
  Printf.printf "%d %s\n" (Array.length (argv ())) (argv ()).(1);
  let env name = match Sys.getenv name with s -> Printf.printf "%S\n" s | exception Not_found -> print_endline "unset" in
  List.iter env [ "SET"; "EMPTY"; "UNSET"; ""; "SET\000"; "SET=value" ];
  Printf.printf "%s\n" (match Sys.getenv_opt "SET" with Some s -> s | None -> "none")

let () =
  Printf.printf "%d %d %b %s %b %b %b\n" Sys.word_size Sys.int_size Sys.big_endian Sys.os_type
    Sys.unix Sys.win32 Sys.cygwin;
  Printf.printf "%d %d %d\n" Sys.max_array_length Sys.max_string_length Sys.max_floatarray_length;
  Printf.printf "%s\n" (match Sys.backend_type with Sys.Native -> "native" | Sys.Bytecode -> "bytecode" | Sys.Other s -> s);
  Printf.printf "%s\n" Sys.ocaml_version;
  Printf.printf "%S %s\n" (Sys.runtime_variant ()) (Sys.runtime_parameters ());
  Printf.printf "%b\n" (Sys.runtime_warnings_enabled ());
  Sys.enable_runtime_warnings true;
  Printf.printf "%b\n" (Sys.runtime_warnings_enabled ());
  Sys.enable_runtime_warnings false;
  Printf.printf "%b\n" !Sys.interactive;
  Printf.printf "%d\n" (Sys.opaque_identity 3)
