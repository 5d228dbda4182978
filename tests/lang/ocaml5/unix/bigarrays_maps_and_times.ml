(* flags: -I +unix *)
(* libs: unix.cma *)
(* Unix.read_bigarray, write_bigarray, map_file; times, clocks, timers, masks of signals. *)
open Unix
open Bigarray

let () =
  let fd = openfile "data" [O_RDWR; O_CREAT] 0o600 in
  let a = Array1.init char c_layout 26 (fun i -> Char.chr (97 + i)) in
  Printf.printf "%d %d\n" (write_bigarray fd a 3 20) (single_write_bigarray fd a 0 2);
  ignore (lseek fd 0 SEEK_SET);
  let b = Array1.create char c_layout 30 in
  Array1.fill b '.';
  Printf.printf "%d %s\n" (read_bigarray fd b 1 25) (String.init 30 (Array1.get b));
  (try ignore (read_bigarray fd b 20 20) with Invalid_argument m -> print_endline m);
  (try ignore (write_bigarray fd b (-1) 2) with Invalid_argument m -> print_endline m);
  let m = array1_of_genarray (map_file fd int32 c_layout true [| 8 |]) in
  m.{7} <- 0x41424344l;
  Printf.printf "%d %lx\n" (Array1.dim m) m.{7};
  ignore (lseek fd 28 SEEK_SET);
  Printf.printf "%d %c\n" (read_bigarray fd b 0 4) b.{0};
  let private_ = array1_of_genarray (map_file fd ~pos:4L char fortran_layout false [| -1 |]) in
  private_.{1} <- '!';
  Printf.printf "%d %c\n" (Array1.dim private_) private_.{1};
  (try ignore (map_file fd ~pos:100L char c_layout false [| -1 |]) with Failure e -> print_endline e | Unix_error (e, _, _) -> print_endline (error_message e));
  close fd;
  let t = gmtime 1e9 in
  Printf.printf "%d-%d-%d %d:%d:%d %d %d\n" t.tm_year t.tm_mon t.tm_mday t.tm_hour t.tm_min t.tm_sec t.tm_wday t.tm_yday;
  Printf.printf "%.0f %b\n" (fst (mktime { t with tm_sec = 100 })) (time () <= gettimeofday () +. 1.);
  let before = times () in
  Printf.printf "%b\n" ((times ()).tms_utime >= before.tms_utime);
  Sys.set_signal Sys.sigalrm (Signal_handle (fun _ -> print_endline "alarm"));
  ignore (sigprocmask SIG_BLOCK [Sys.sigalrm]);
  ignore (setitimer ITIMER_REAL { it_interval = 0.; it_value = 0.01 });
  while sigpending () = [] do sleepf 0.002 done;
  Printf.printf "%b\n" (sigpending () = [Sys.sigalrm]);
  ignore (sigprocmask SIG_UNBLOCK [Sys.sigalrm]);
  ignore (alarm 0);
  Printf.printf "%d\n" (alarm 0)
