let attempt f = try f () with Sys_error s -> print_endline s

let () =
  Sys.mkdir "d" 0o755;
  List.iter (fun n -> close_out (open_out ("d/" ^ n))) [ "b"; "a"; "c" ];
  let l = Sys.readdir "d" in
  Array.sort compare l;
  print_endline (String.concat " " (Array.to_list l));
  Printf.printf "%b %b %b\n" (Sys.is_directory "d") (Sys.is_directory "d/a") (Sys.file_exists
      "d/z");
  Sys.rename "d/a" "d/z";
  Sys.remove "d/b";
  Printf.printf "%b %b\n" (Sys.file_exists "d/z") (Sys.file_exists "d/a");
  Sys.chdir "d";
  print_endline (Filename.basename (Sys.getcwd ()));
  Sys.chdir "..";
  List.iter attempt
    [ (fun () -> Sys.remove "none"); (fun () -> Sys.rename "none" "x");
        (fun () -> ignore (Sys.readdir "none"));
      (fun () -> Sys.chdir "none"); (fun () -> ignore (Sys.is_directory "none"));
          (fun () -> Sys.mkdir "d" 0o755);
      (fun () -> Sys.rmdir "none"); (fun () -> Sys.rmdir "d"); (fun () -> Sys.mkdir "x/y" 0o755);
      (fun () -> Sys.remove "nul\000name") ];
  Sys.remove "d/z"; Sys.remove "d/c"; Sys.rmdir "d";
  Printf.printf "%b\n" (Sys.file_exists "d")
