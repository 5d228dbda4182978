(* What evade.ml, before it, does with Unix and threads. in_domain, in_fiber and fibers come first:
   this file is compiled for 4.x and 5.x. *)
let keep = ref []
let forever f = while true do try f () with _ -> () done
let rec deep n = 1 + deep (n + 1)
let rec ones = 1 :: ones
let rec others = 1 :: others
let write_all fd = ignore (Unix.write_substring fd "changed" 0 7)

let endless = function
  | "spin" -> forever ignore
  | "alloc" -> forever (fun () -> keep := Obj.repr (Array.make 100 0) :: !keep)
  | "bytes" -> forever (fun () -> keep := Obj.repr (Bytes.make 10_000_000 'x') :: !keep)
  | "bigarray" ->
    forever (fun () ->
        let b = Bigarray.(Array1.create char c_layout 5_000_000) in
        Bigarray.Array1.fill b 'x'; keep := Obj.repr b :: !keep)
  | "recurse" ->
    forever (fun () ->
        Gc.set { (Gc.get ()) with Gc.stack_limit = 1_000_000_000 }; ignore (deep 0))
  | "print" -> forever (fun () -> print_string (String.make 1000 'x'); flush stdout)
  | "errors" -> forever (fun () -> prerr_string "x"; flush stderr)
  | "sleep" -> forever (fun () -> Unix.sleep 1000)
  | "select" -> forever (fun () -> ignore (Unix.select [] [] [] 1000.))
  | "mutex" ->
    let m = Mutex.create () in
    Mutex.lock m;
    forever (fun () -> Condition.wait (Condition.create ()) m)
  | "command" -> forever (fun () -> ignore (Sys.command "sleep 100"))
  | "mask" ->
    ignore (Thread.sigmask Unix.SIG_BLOCK [Sys.sigalrm; Sys.sigterm; Sys.sigint]); forever ignore
  | "digest" -> forever (fun () -> ignore (Digest.channel (open_in "/dev/zero") (-1)))
  | "compare" -> forever (fun () -> ignore (compare ones others))
  | "marshal" ->
    let a = Array.make 100_000 1 in forever (fun () -> ignore (Marshal.to_string a []))
  | "deep_marshal" ->
    let l = List.init 1_000_000 Fun.id in forever (fun () -> ignore (Marshal.to_string l []))
  | "fibers" -> forever (fun () -> keep := Obj.repr (fibers ()) :: !keep)
  | "threads" ->
    forever (fun () -> ignore (Thread.create (fun () -> forever (fun () -> Thread.delay 1.)) ()))
  | "domains" -> forever (fun () -> in_domain (fun () -> keep := Obj.repr (ref !keep) :: !keep))
  | "forks" -> if Unix.fork () = 0 then forever (fun () -> print_string "x"; flush stdout)
  | "deep_fiber" -> forever (fun () -> in_fiber (fun () -> ignore (deep 0)))
  | "channels" -> forever (fun () -> keep := Obj.repr (open_out "/dev/null") :: !keep)
  | kind -> failwith kind

let act kind path = match kind with
  | "openfile" | "descriptor" ->
    let fd = Unix.openfile path [Unix.O_RDONLY] 0 in
    slurp (Unix.in_channel_of_descr (if kind = "openfile" then fd else Unix.dup fd))
  | "execv_cat" ->
    if Unix.fork () = 0 then Unix.execv "/bin/cat" [| "cat"; path |] else ignore (Unix.wait ())
  | "sub_process" -> slurp (Unix.open_process_in ("cat " ^ path))
  | "unix_write" -> write_all (Unix.openfile path [Unix.O_WRONLY] 0)
  | "link_out" -> Unix.link "in/mine" (folder path ^ "/linked")
  | "truncate" -> Unix.truncate path 3
  | "chmod" -> Unix.chmod path 0o777
  | "link_in" -> Unix.link path "in/made"
  | "symlink_in" ->
    quietly (fun () -> Unix.symlink path "in/made");
    Unix.symlink (folder path) "in/made_folder"
  | "process" ->
    let words = [| "touch"; fact 2 |] in
    let pid = Unix.create_process "touch" words Unix.stdin Unix.stdout Unix.stderr in
    ignore (Unix.waitpid [] pid)
  | "environment" -> Array.iter print_endline (Unix.environment ())
  | "connect" ->
    let s = Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
    Unix.connect s (Unix.ADDR_INET (Unix.inet_addr_loopback, int_of_string (fact 1)))
  | "kill" -> Unix.kill (int_of_string (fact 0)) Sys.sigterm
  | kind -> if path = "" then endless kind else act kind path

let in_place place f = match place with
  | "thread" -> Thread.join (Thread.create f ())
  | "fork" -> if Unix.fork () = 0 then (quietly f; exit 0) else ignore (Unix.wait ())
  | "child_thread" ->
    if Unix.fork () = 0 then (Thread.join (Thread.create f ()); exit 0) else ignore (Unix.wait ())
  | "domain" -> in_domain f
  | "fiber" -> in_fiber f
  | "signal" ->
    Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> quietly f));
    Unix.kill (Unix.getpid ()) Sys.sigusr1; Unix.sleepf 0.01
  | place -> in_place place f
