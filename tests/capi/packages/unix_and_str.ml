(* packages: unix,str - system calls, processes, mapped files, signals; regular expressions. *)
let () =
  let r = Str.regexp "\\([a-z]+\\)=\\([0-9]+\\)" in
  let s = "foo=12, bar=7; baz=999" in
  let rec go i = match Str.search_forward r s i with
    | exception Not_found -> ()
    | _ -> Printf.printf "%s -> %s\n" (Str.matched_group 1 s) (Str.matched_group 2 s); go (Str.match_end ()) in
  go 0;
  print_endline (Str.global_replace r "<\\2:\\1>" s);
  (match Unix.openfile "/nonexistent" [Unix.O_RDONLY] 0 with
   | exception Unix.Unix_error (e,f,a) -> Printf.printf "%s %s %s\n" (Unix.error_message e) f a
   | _ -> ());
  let a,b = Unix.pipe () in
  (match Unix.fork () with
   | 0 -> ignore (Unix.write_substring b "hello from child" 0 16); Unix._exit 3
   | pid -> Unix.close b;
     let buf = Bytes.create 100 in
     let n = Unix.read a buf 0 100 in
     print_endline (Bytes.sub_string buf 0 n);
     match Unix.waitpid [] pid with _, Unix.WEXITED n -> Printf.printf "exited %d\n" n | _ -> ());
  let ic = Unix.open_process_in "echo sub; echo process" in
  (try while true do print_endline (input_line ic) done with End_of_file -> ());
  ignore (Unix.close_process_in ic);
  let tm = Unix.gmtime 86400.5 in Printf.printf "%d-%d-%d\n" (tm.Unix.tm_year+1900) tm.Unix.tm_mon tm.Unix.tm_mday;
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> print_endline "alarm"));
  ignore (Unix.setitimer Unix.ITIMER_REAL {Unix.it_interval=0.; it_value=0.05});
  (try Unix.sleepf 0.2 with Unix.Unix_error (Unix.EINTR,_,_) -> print_endline "EINTR");
  let s = Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
  Unix.bind s (Unix.ADDR_INET (Unix.inet_addr_loopback, 0)); Unix.listen s 5;
  (match Unix.getsockname s with Unix.ADDR_INET (a,_) -> print_endline (Unix.string_of_inet_addr a) | _ -> ());
  let rec many n acc = if n = 0 then acc else many (n-1) (Unix.getpid () :: List.map (fun _ -> 1) (Array.to_list (Unix.environment ())) @ acc) in
  Printf.printf "%b\n" (List.length (many 200 []) > 0);
  print_endline (String.concat "," (Str.split (Str.regexp "[, ]+") "a, b,c  d"));
  let fd = Unix.openfile "unix_and_str.ml" [Unix.O_RDONLY] 0 in
  let m = Bigarray.array1_of_genarray (Unix.map_file fd Bigarray.char Bigarray.c_layout false [|-1|]) in
  Printf.printf "%d %c %d\n" (Bigarray.Array1.dim m) m.{0} (Hashtbl.hash m);
  let m2 = Bigarray.Array1.create Bigarray.char Bigarray.c_layout (Bigarray.Array1.dim m) in
  Bigarray.Array1.blit m m2; Printf.printf "eq %b %d\n" (m = m2) (compare m2 m);
  Printf.printf "%s\n" (Printexc.to_string (try ignore (Unix.stat "/nope"); Exit with e -> e))
