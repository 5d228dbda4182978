(* under: no: under qemu a failed exec is known later *)
(* libs: unix.cma *)
(* flags: -I +unix *)
(* Children that exit, are killed or stopped, or run other programs; what fails, and how. *)
open Unix
let p fmt = Printf.printf (fmt ^^ "\n%!")
let t n f = match f () with s -> p "%s: %s" n s | exception Unix_error (e, f, a) -> p "%s: %s %s %S" n (error_message e) f a | exception e -> p "%s: %s" n (Printexc.to_string e)
let u f = fun () -> f (); "ok"
let () =
  t "open" (u (fun () -> ignore (openfile "nope" [ O_RDONLY ] 0)));
  t "fork" (fun () -> match fork () with 0 -> Stdlib.print_string "child\n"; Stdlib.flush Stdlib.stdout; Unix._exit 7 | pid -> (match waitpid [] pid with q, WEXITED n when q = pid -> string_of_int n | _ -> "?"));
  t "signaled" (fun () -> match fork () with 0 -> kill (getpid ()) Sys.sigkill; "x" | pid -> match waitpid [] pid with _, WSIGNALED s -> string_of_bool (s = Sys.sigkill) | _ -> "?");
  t "stopped" (fun () -> match fork () with 0 -> kill (getpid ()) Sys.sigstop; _exit 0 | pid -> match waitpid [ WUNTRACED ] pid with _, WSTOPPED s -> kill pid Sys.sigcont; ignore (waitpid [] pid); string_of_bool (s = Sys.sigstop) | _ -> "?");
  t "nohang" (fun () -> match fork () with 0 -> sleepf 0.05; _exit 0 | pid -> let a, _ = waitpid [ WNOHANG ] pid in let b, _ = waitpid [] pid in Printf.sprintf "%d %b" a (b = pid));
  t "nochild" (fun () -> ignore (wait ()); "");
  t "exec" (fun () -> match fork () with 0 -> execvp "sh" [| "sh"; "-c"; "echo exec $0 $X" |] | pid -> ignore (waitpid [] pid); "");
  t "execve" (fun () -> match fork () with 0 -> execve "/bin/sh" [| "sh"; "-c"; "echo $FOO-$HOME" |] [| "FOO=bar" |] | pid -> ignore (waitpid [] pid); "");
  t "execfail" (fun () -> match fork () with 0 -> (try execv "/nonexistent" [| "x" |] with Unix_error (ENOENT, f, a) -> print_string (f ^ a ^ "\n"); Stdlib.flush Stdlib.stdout; _exit 2) | pid -> match waitpid [] pid with _, WEXITED n -> string_of_int n | _ -> "?");
  t "create_process" (fun () -> let r, w = pipe ~cloexec:true () in let pid = create_process "echo" [| "echo"; "hi"; "there" |] stdin w stderr in close w; let ic = in_channel_of_descr r in let l = input_line ic in close_in ic; ignore (waitpid [] pid); l);
  t "create_process missing" (fun () -> let pid = create_process "/nonexistent/x" [| "x" |] stdin stdout stderr in match waitpid [] pid with _, WEXITED n -> string_of_int n | _ -> "?");
  t "popen" (fun () -> let ic = open_process_in "echo a; exit 3" in let l = input_line ic in match close_process_in ic with WEXITED n -> Printf.sprintf "%s %d" l n | _ -> "?");
  t "popen2" (fun () -> let ic, oc = open_process "tr a-z A-Z" in output_string oc "shout\n"; close_out oc; let l = input_line ic in ignore (close_process (ic, oc)); l);
  t "args_full" (fun () -> let o, i, e = open_process_args_full "/bin/sh" [| "sh"; "-c"; "read x; echo out $x; echo err $Y >&2; exit 4" |] [| "Y=why" |] in output_string i "in\n"; Stdlib.flush i; let a = input_line o and b = input_line e in match close_process_full (o, i, e) with WEXITED n -> Printf.sprintf "%s|%s|%d" a b n | _ -> "?");
  t "process pid" (fun () -> let ic = open_process_in "true" in let ok = process_in_pid ic > 0 in ignore (close_process_in ic); string_of_bool ok);
  t "system" (fun () -> match system "exit 9" with WEXITED n -> string_of_int n | _ -> "?");
  t "times" (fun () -> let x = times () in string_of_bool (x.tms_utime >= 0.));
  t "umask" (fun () -> let o = umask 0o077 in let n = umask o in Printf.sprintf "%o" n);
  t "env" (fun () -> putenv "ZZ" "1"; getenv "ZZ" ^ string_of_bool (Array.mem "ZZ=1" (environment ())));
  t "putenv bad" (u (fun () -> putenv "" "x")); t "putenv =" (u (fun () -> putenv "a=b" "x"));
  t "kill" (u (fun () -> kill 0x3ffffff Sys.sigterm)); t "nice" (fun () -> string_of_int (nice 0 - nice 0));
  t "getlogin" (fun () -> try ignore (getlogin ()); "x" with Unix_error _ -> "x");
  t "pw" (fun () -> (getpwuid 0).pw_name); t "pwn" (fun () -> (getpwnam "nobody_x").pw_name);
  t "gr" (fun () -> (getgrgid 0).gr_name);
  t "uid" (fun () -> string_of_bool (getuid () = geteuid () && getgid () = getegid ()));
  t "groups" (fun () -> string_of_bool (Array.length (getgroups ()) >= 0));
  t "setsid" (fun () -> match fork () with 0 -> (try ignore (setsid ()); _exit 0 with _ -> _exit 1) | pid -> match waitpid [] pid with _, WEXITED n -> string_of_int n | _ -> "?");
  t "ppid" (fun () -> string_of_bool (getppid () > 0)); at_exit (fun () -> p "exit %d" 0)
