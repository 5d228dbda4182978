(* libs: unix.cma *)
(* flags: -I +unix *)
(* Positions, locks, links, directories, permissions, maps and descriptors. *)
open Unix
let p fmt = Printf.printf (fmt ^^ "\n%!")
let t n f = match f () with s -> p "%s: %s" n s | exception Unix_error (e, f, a) -> p "%s: %s %s %S" n (error_message e) f a | exception e -> p "%s: %s" n (Printexc.to_string e)
let u f = fun () -> f (); "ok"
let kind = function S_REG -> "reg" | S_DIR -> "dir" | S_CHR -> "chr" | S_BLK -> "blk" | S_LNK -> "lnk" | S_FIFO -> "fifo" | S_SOCK -> "sock"
let () =
  let fd = openfile "a" [ O_RDWR; O_CREAT; O_TRUNC; O_CLOEXEC ] 0o640 in t "write" (fun () -> string_of_int (write_substring fd "hello world" 0 11));
  t "seek" (fun () -> string_of_int (lseek fd (-5) SEEK_END));
  let b = Bytes.make 10 '.' in t "read" (fun () -> let n = read fd b 2 8 in Printf.sprintf "%d %s" n (Bytes.to_string b));
  t "bad ofs" (fun () -> string_of_int (read fd b 8 8));
  t "bad len" (fun () -> string_of_int (write fd b 0 (-1))); t "truncate" (u (fun () -> ftruncate fd 3));
  t "size" (fun () -> string_of_int (fstat fd).st_size);
  t "large" (fun () -> Int64.to_string (LargeFile.lseek fd 0x123456789L SEEK_SET));
  t "neg" (fun () -> string_of_int (lseek fd (-5) SEEK_SET));
  t "single" (fun () -> string_of_int (single_write_substring fd "z" 0 1));
  t "lsize" (fun () -> Int64.to_string (LargeFile.stat "a").st_size); ftruncate fd 0;
  t "lockf" (u (fun () -> ignore (lseek fd 0 SEEK_SET); lockf fd F_LOCK 0));
  t "lock other" (fun () -> match fork () with 0 -> (let f = openfile "a" [ O_RDWR ] 0 in try lockf f F_TLOCK 0; _exit 0 with Unix_error ((EAGAIN | EACCES), _, _) -> _exit 1) | pid -> match waitpid [] pid with _, WEXITED n -> string_of_int n | _ -> "?");
  close fd; t "closed" (fun () -> string_of_int (write_substring fd "x" 0 1));
  t "close again" (u (fun () -> close fd));
  mkdir "d" 0o755; t "mkdir" (u (fun () -> mkdir "d" 0o755)); symlink "a" "l"; link "a" "h";
  t "readlink" (fun () -> readlink "l"); t "readlink a" (fun () -> readlink "a"); mkfifo "f" 0o600;
  List.iter (fun n -> let s = lstat n in p "%s %s %o %d" n (kind s.st_kind) (s.st_perm land 0o777) s.st_nlink) [ "a"; "d"; "l"; "f"; "h" ];
  t "rename" (u (fun () -> rename "h" "d/h")); t "rmdir" (u (fun () -> rmdir "d"));
  t "unlink" (u (fun () -> unlink "nope")); chmod "a" 0o400;
  t "perm" (fun () -> Printf.sprintf "%o" (stat "a").st_perm); utimes "a" 1000. 2000.5;
  t "mtime" (fun () -> let s = stat "a" in Printf.sprintf "%g %g" s.st_atime s.st_mtime);
  t "access" (u (fun () -> access "a" [ R_OK; F_OK ]));
  t "access nope" (u (fun () -> access "nope" [ F_OK ])); let d = opendir "." in
  let rec all l = match readdir d with x -> all (x :: l) | exception End_of_file -> List.sort compare l in 
  let own = List.filter (fun name -> String.length name < 3) (all []) in p "%s" (String.concat " " own);
  rewinddir d; ignore (readdir d); closedir d; t "closedir" (u (fun () -> closedir d));
  t "readdir closed" (fun () -> readdir d); t "opendir" (u (fun () -> ignore (opendir "nope")));
  t "realpath" (fun () -> Filename.basename (realpath "l"));
  t "chdir" (u (fun () -> chdir "d"; chdir ".."; chdir "nope"));
  t "nul" (u (fun () -> ignore (stat "a\000b"))); t "isatty" (fun () -> string_of_bool (isatty stdin));
  let fd = openfile "a2" [ O_RDWR; O_CREAT; O_APPEND ] 0o600 in
  let oc = out_channel_of_descr fd in output_string oc "line1\nline2\n"; Stdlib.flush oc;
  ignore (lseek fd 0 SEEK_SET); let ic = in_channel_of_descr fd in p "%s %d" (input_line ic) (pos_in ic);
  p "%b" (descr_of_in_channel ic = fd); let fd2 = dup fd in p "%b" (fd2 <> fd); dup2 ~cloexec:true fd fd2;
  set_close_on_exec fd2; clear_close_on_exec fd2; set_nonblock fd2; clear_nonblock fd2; close fd2;
  close_out oc; t "after close" (fun () -> input_line ic);
  let m = Bigarray.array1_of_genarray (map_file (openfile "map" [ O_RDWR; O_CREAT ] 0o600) Bigarray.int32 Bigarray.c_layout true [| 4 |]) in m.{1} <- 0x01020304l;
  Gc.full_major (); p "%S" (In_channel.with_open_bin "map" In_channel.input_all);
  t "mapfail" (fun () -> ignore (map_file (openfile "map" [ O_RDONLY ] 0) Bigarray.char Bigarray.c_layout false [| 100 |]); "?");
  t "map neg" (fun () -> let g = map_file (openfile "map" [ O_RDONLY ] 0) Bigarray.int16_signed Bigarray.c_layout false [| -1; 2 |] in Printf.sprintf "%d" (Bigarray.Genarray.nth_dim g 0));
  t "map odd" (fun () -> ignore (map_file (openfile "map" [ O_RDONLY ] 0) Bigarray.char Bigarray.c_layout false [| -1; 3 |]); "?");
  let ba = Bigarray.Array1.create Bigarray.char Bigarray.c_layout 8 in t "read_bigarray" (fun () -> let fd = openfile "a2" [ O_RDONLY ] 0 in let n = read_bigarray fd ba 1 5 in Printf.sprintf "%d %c%c" n ba.{1} ba.{5});
  t "rb bounds" (fun () -> string_of_int (read_bigarray stdin ba 4 5));
  t "fsync" (fun () -> fsync (openfile "a2" [ O_RDWR ] 0); "ok");
  t "badfd" (u (fun () -> fsync (Obj.magic 9999))); t "truncate" (u (fun () -> truncate "a2" 2));
  t "sz" (fun () -> string_of_int (stat "a2").st_size);
  t "mknod" (fun () -> string_of_bool (single_write_substring stdout "" 0 0 = 0))
