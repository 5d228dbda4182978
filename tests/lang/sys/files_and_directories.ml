let try_ name f =
  match f () with
  | s -> Printf.printf "%s: %s\n" name s
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let unit f () = f (); "ok"
let bool f () = string_of_bool (f ())
let touch name = close_out (open_out name)
let list dir = String.concat " " (List.sort compare (Array.to_list (Sys.readdir dir)))

let () =
  try_ "mkdir" (unit (fun () -> Sys.mkdir "d" 0o755));
  try_ "mkdir again" (unit (fun () -> Sys.mkdir "d" 0o755));
  try_ "mkdir deep" (unit (fun () -> Sys.mkdir "e/f" 0o755));
  try_ "empty" (fun () -> list "d");
  for i = 1 to 300 do touch (Printf.sprintf "d/file%03d" i) done;
  touch "d/.hidden";
  try_ "full" (fun () -> list "d");
  try_ "missing dir" (fun () -> list "nowhere");
  try_ "file as dir" (fun () -> list "d/file001");
  try_ "exists" (bool (fun () -> Sys.file_exists "d/file001"));
  try_ "exists not" (bool (fun () -> Sys.file_exists "d/file999"));
  try_ "exists NUL" (bool (fun () -> Sys.file_exists "d\000"));
  try_ "dir" (bool (fun () -> Sys.is_directory "d"));
  try_ "dir of file" (bool (fun () -> Sys.is_directory "d/file001"));
  try_ "dir of nothing" (bool (fun () -> Sys.is_directory "no"));
  try_ "dir NUL" (bool (fun () -> Sys.is_directory "d\000x"));
  try_ "rename" (unit (fun () -> Sys.rename "d/file001" "d/renamed"));
  try_ "rename missing" (unit (fun () -> Sys.rename "d/file001" "d/renamed"));
  try_ "rename NUL" (unit (fun () -> Sys.rename "d/file\0001" "d/renamed"));
  try_ "rename to NUL" (unit (fun () -> Sys.rename "d/file002" "d/\000renamed"));
  try_ "remove" (unit (fun () -> Sys.remove "d/renamed"));
  try_ "remove again" (unit (fun () -> Sys.remove "d/renamed"));
  try_ "remove dir" (unit (fun () -> Sys.remove "d"));
  try_ "rmdir full" (unit (fun () -> Sys.rmdir "d"));
  try_ "chdir" (unit (fun () -> Sys.chdir "d"));
  try_ "cwd" (fun () -> Filename.basename (Sys.getcwd ()));
  try_ "chdir missing" (unit (fun () -> Sys.chdir "dd"));
  Array.iter Sys.remove (Sys.readdir ".");
  try_ "chdir up" (unit (fun () -> Sys.chdir ".."));
  try_ "rmdir" (unit (fun () -> Sys.rmdir "d"));
  try_ "rmdir missing" (unit (fun () -> Sys.rmdir "d"));
  try_ "chdir NUL" (unit (fun () -> Sys.chdir "\000"))

let () =
  let name = Filename.temp_file ~temp_dir:"." "pre" ".suf" in
  Printf.printf "%b %b\n" (Sys.file_exists name) (Filename.check_suffix name ".suf");
  Sys.remove name;
  let name, oc = Filename.open_temp_file ~temp_dir:"." "pre" ".suf" in
  output_string oc "x";
  close_out oc;
  Sys.remove name

(* the working directory is gone *)
let () =
  let home = Sys.getcwd () in
  Sys.mkdir "gone" 0o755;
  Sys.chdir "gone";
  Sys.rmdir (Filename.concat home "gone");
  try_ "cwd gone" Sys.getcwd;
  Sys.chdir home
