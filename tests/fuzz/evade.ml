(* Performs the attempts of its arguments, PLACE:KIND or PLACE:KIND:PATH. An attempt that fails is
   forgotten. in_domain, in_fiber and fibers come before: this file is compiled for 4.x and 5.x. *)
let fact i = Sys.argv.(2 + i)
let keep = ref []
let forever f = while true do try f () with _ -> () done
let rec deep n = 1 + deep (n + 1)
let rec ones = 1 :: ones
let rec others = 1 :: others
let slurp ic = try while true do print_endline (input_line ic) done with End_of_file -> close_in ic
let folder path = Filename.dirname path
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
  | "read" -> slurp (open_in path)
  | "openfile" | "descriptor" ->
    let fd = Unix.openfile path [Unix.O_RDONLY] 0 in
    slurp (Unix.in_channel_of_descr (if kind = "openfile" then fd else Unix.dup fd))
  | "execv_cat" ->
    if Unix.fork () = 0 then Unix.execv "/bin/cat" [| "cat"; path |] else ignore (Unix.wait ())
  | "sub_process" -> slurp (Unix.open_process_in ("cat " ^ path))
  | "write" -> let oc = open_out path in output_string oc "changed"; close_out oc
  | "unix_write" -> write_all (Unix.openfile path [Unix.O_WRONLY] 0)
  | "mkdir" -> Unix.mkdir (folder path ^ "/made") 0o700
  | "remove" -> Sys.remove path
  | "rename_out" -> Sys.rename "in/mine" (folder path ^ "/moved")
  | "link_out" -> Unix.link "in/mine" (folder path ^ "/linked")
  | "truncate" -> Unix.truncate path 3
  | "chmod" -> Unix.chmod path 0o777
  | "rename_in" ->
    (try Sys.rename path "in/made" with _ -> Sys.rename (folder path) "in/made_folder")
  | "link_in" -> Unix.link path "in/made"
  | "symlink_in" ->
    (try Unix.symlink path "in/made" with _ -> ());
    Unix.symlink (folder path) "in/made_folder"
  | "command" -> ignore (Sys.command ("echo > " ^ fact 2))
  | "process" ->
    let words = [| "touch"; fact 2 |] in
    let pid = Unix.create_process "touch" words Unix.stdin Unix.stdout Unix.stderr in
    ignore (Unix.waitpid [] pid)
  | "getenv" -> print_endline (Sys.getenv "TOKEN")
  | "environ" ->
    Array.iter print_endline (Unix.environment ());
    slurp (open_in "/proc/self/environ")
  | "connect" ->
    let s = Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
    Unix.connect s (Unix.ADDR_INET (Unix.inet_addr_loopback, int_of_string (fact 1)))
  | "kill" -> Unix.kill (int_of_string (fact 0)) Sys.sigterm
  | "chdir" -> Sys.chdir (folder path); slurp (open_in (Filename.basename path))
  | kind -> endless kind

let quietly f = try f () with _ -> ()
let in_place place f = match place with
  | "main" -> f ()
  | "thread" -> Thread.join (Thread.create f ())
  | "fork" -> if Unix.fork () = 0 then (quietly f; exit 0) else ignore (Unix.wait ())
  | "child_thread" ->
    if Unix.fork () = 0 then (Thread.join (Thread.create f ()); exit 0) else ignore (Unix.wait ())
  | "domain" -> in_domain f
  | "fiber" -> in_fiber f
  | "final" ->
    Gc.finalise (fun _ -> quietly f) (ref (Random.int 2)); Gc.full_major (); Gc.full_major ()
  | "signal" ->
    Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> quietly f));
    Unix.kill (Unix.getpid ()) Sys.sigusr1; Unix.sleepf 0.01
  | "exit" -> at_exit (fun () -> quietly f)
  | place -> failwith place

let () =
  let first = if Array.length Sys.argv > 1 && Sys.argv.(1) = "facts" then 5 else 1 in
  for i = first to Array.length Sys.argv - 1 do
    match String.split_on_char ':' Sys.argv.(i) with
    | [place; kind] ->
      quietly (fun () -> in_place place (fun () -> quietly (fun () -> endless kind)))
    | place :: kind :: path ->
      let path = String.concat ":" path in
      quietly (fun () -> in_place place (fun () -> quietly (fun () -> act kind path)));
      flush_all ()
    | _ -> ()
  done
