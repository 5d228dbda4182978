(* flags: -I +unix *)
(* libs: unix.cma *)
(* Files, folders, links, descriptors, times of files; errors carry the function and the argument. *)
open Unix

let show_error f =
  try f (); print_endline "no error" with
  | Unix_error (e, f, a) -> Printf.printf "%s(%s): %s\n" f a (error_message e)
  | Invalid_argument m -> Printf.printf "Invalid_argument %s\n" m

let () =
  mkdir "dir" 0o750;
  let fd = openfile "dir/file" [O_RDWR; O_CREAT; O_EXCL; O_CLOEXEC] 0o640 in
  Printf.printf "%d\n" (write_substring fd "0123456789" 2 5);
  Printf.printf "%d %d\n" (lseek fd 1 SEEK_SET) (LargeFile.lseek fd (-1L) SEEK_END |> Int64.to_int);
  let b = Bytes.make 4 '-' in
  ignore (lseek fd 0 SEEK_SET);
  Printf.printf "%d %S\n" (read fd b 1 3) (Bytes.to_string b);
  ftruncate fd 3;
  let s = fstat fd in
  Printf.printf "%d %o %b %d\n" s.st_size s.st_perm (s.st_kind = S_REG) s.st_nlink;
  link "dir/file" "dir/hard";
  symlink "file" "dir/soft";
  Printf.printf "%s %d %b\n" (readlink "dir/soft") (stat "dir/hard").st_nlink
    ((lstat "dir/soft").st_kind = S_LNK);
  utimes "dir/file" 1000. 2000.;
  let s = LargeFile.stat "dir/file" in
  Printf.printf "%.0f %.0f\n" s.st_atime s.st_mtime;
  rename "dir/hard" "dir/new";
  let d = opendir "dir" in
  let rec all names = match readdir d with n -> all (n :: names) | exception End_of_file -> names in
  print_endline (String.concat " " (List.sort compare (all [])));
  rewinddir d;
  Printf.printf "%d\n" (List.length (all []));
  closedir d;
  show_error (fun () -> ignore (readdir d));
  chmod "dir/file" 0o600;
  (try access "dir/file" [R_OK; W_OK; F_OK]; print_endline "may" with Unix_error _ -> print_endline "may not");
  let copy = dup ~cloexec:true fd in
  dup2 copy fd;
  set_close_on_exec fd;
  clear_close_on_exec fd;
  close copy;
  Printf.printf "%b %b\n" (isatty fd) (realpath "dir/soft" = Filename.concat (getcwd ()) "dir/file");
  show_error (fun () -> ignore (openfile "dir/none/x" [O_RDONLY] 0));
  show_error (fun () -> ignore (openfile "a\000b" [O_RDONLY] 0));
  show_error (fun () -> rmdir "dir");
  show_error (fun () -> close copy);
  show_error (fun () -> ignore (read fd b 3 2));
  show_error (fun () -> truncate "dir/none" 0);
  truncate "dir/new" 1;
  List.iter (fun n -> unlink ("dir/" ^ n)) ["file"; "new"; "soft"];
  rmdir "dir";
  show_error (fun () -> ignore (stat "dir"));
  print_endline (Printexc.to_string (Unix_error (EUNKNOWNERR 9999, "f", "a")))
