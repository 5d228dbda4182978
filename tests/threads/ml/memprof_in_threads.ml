(* Callbacks run in the thread that allocated; a callback that waits stops only its own
   thread's samples; call stacks are those of the thread. *)
let ids : (int, int) Hashtbl.t = Hashtbl.create 10

let wrong = ref 0 and sampled = ref 0

let check size =
  if size >= 1000 && size < 1100 then begin
    incr sampled;
    match Hashtbl.find_opt ids size with
    | Some id when id = Thread.id (Thread.self ()) -> ()
    | _ -> incr wrong
  end

let rec nested n size = if n = 0 then Array.length (Array.make size n) else 1 + nested (n - 1) size

let () =
  let deep = ref 0 in
  let tracker = { Gc.Memprof.null_tracker with
    alloc_major = (fun a ->
      check a.size;
      if a.size >= 1000 && a.size < 1100
         && Printexc.raw_backtrace_length a.callstack >= a.size - 1000 then incr deep;
      None) } in
  let threads () = List.init 8 (fun i ->
    Thread.create (fun () ->
      let size = 1000 + i in
      Hashtbl.replace ids size (Thread.id (Thread.self ()));
      for _ = 1 to 20 do
        ignore (Sys.opaque_identity (nested i size));
        ignore (Sys.opaque_identity (Array.init 300 string_of_int));
        Thread.yield ()
      done) ()) in
  Gc.Memprof.start ~sampling_rate:1. tracker;
  List.iter Thread.join (threads ());
  Gc.Memprof.stop ();
  Printf.printf "%d sampled, %d in another thread, %d deep enough\n%!" !sampled !wrong !deep;
  (* A waits in its callback for B's. *)
  let m = Mutex.create () and c = Condition.create () in
  let b_sampled = ref false and a_waits = ref false in
  let tracker = { Gc.Memprof.null_tracker with
    alloc_major = (fun info ->
      if info.size = 2000 then begin
        Mutex.lock m;
        a_waits := true;
        Condition.broadcast c;
        while not !b_sampled do Condition.wait c m done;
        Mutex.unlock m
      end else if info.size = 3000 then begin
        Mutex.lock m;
        b_sampled := true;
        Condition.broadcast c;
        Mutex.unlock m
      end;
      None) } in
  Gc.Memprof.start ~sampling_rate:1. ~callstack_size:0 tracker;
  let a = Thread.create (fun () -> ignore (Sys.opaque_identity (Array.make 2000 0))) () in
  let b = Thread.create (fun () ->
    Mutex.lock m;
    while not !a_waits do Condition.wait c m done;
    Mutex.unlock m;
    ignore (Sys.opaque_identity (Array.make 3000 0))) () in
  Thread.join a;
  Thread.join b;
  Gc.Memprof.stop ();
  print_endline "both sampled"
