(* stress: no: counts blocks *)
(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Who samples what: the domain that starts a profile, those it spawns meanwhile, not those that exist already. *)
open Gc.Memprof

let say fmt = Printf.printf (fmt ^^ "\n%!")
let lock = Mutex.create ()
let counted : (string, int) Hashtbl.t = Hashtbl.create 10

let count name = Mutex.protect lock (fun () ->
  Hashtbl.replace counted name (1 + Option.value ~default:0 (Hashtbl.find_opt counted name)))

(* Blocks of a size that nothing else has; each domain has its own. *)
let tracker name =
  { null_tracker with
    alloc_minor = (fun a -> if a.size >= 100 && a.size < 200 then count (Printf.sprintf "%s %d" name a.size); None) }

let start name = start ~callstack_size:0 ~sampling_rate:1. (tracker name)
let allocate size n = for _ = 1 to n do ignore (Sys.opaque_identity (Array.make size 0)) done

let show title =
  let rows = Hashtbl.fold (fun k n l -> Printf.sprintf "%s: %d" k n :: l) counted [] in
  say "%-28s %s" title (String.concat ", " (List.sort compare rows));
  Hashtbl.reset counted

let outcome f = match f () with () -> "done" | exception Failure s -> s

(* Steps that domains do in turn. *)
let turn = Atomic.make 0
let step n = while Atomic.get turn < n do Domain.cpu_relax () done
let next () = Atomic.incr turn

let () =
  let older = Domain.spawn (fun () -> step 1; allocate 110 10; next (); step 3; allocate 111 10; next ()) in
  let p = start "p" in
  next (); step 2;
  let younger = Domain.spawn (fun () -> allocate 120 10) in
  Domain.join younger;
  allocate 100 10;
  next (); step 4;
  stop ();
  Domain.join older;
  show "older, younger, own";
  discard p

let () =
  let p = start "p" in
  Domain.join (Domain.spawn (fun () ->
    say "start of a child: %s" (outcome (fun () -> ignore (start "child")));
    say "stop of a child: %s" (outcome stop);
    allocate 120 10;
    let q = start "q" in
    allocate 121 10;
    Domain.join (Domain.spawn (fun () -> allocate 130 10));
    stop ();
    discard q));
  allocate 100 10;
  say "stop of the parent: %s" (outcome stop);
  show "stopped by a child";
  discard p

let () =
  let in_child = Domain.spawn (fun () ->
    let q = start "q" in
    next (); step 6;
    allocate 120 10;
    next (); step 8;
    allocate 121 10;
    stop ();
    discard q) in
  step 5;
  let p = start "p" in
  allocate 100 10;
  next (); step 7;
  allocate 101 10;
  stop ();
  next ();
  allocate 102 10;
  Domain.join in_child;
  discard p;
  show "two profiles"

let () =
  say "stop: %s" (outcome stop);
  let p = start "p" in
  let threads = List.init 3 (fun i -> Thread.create (fun () -> allocate (140 + i) 10) ()) in
  List.iter Thread.join threads;
  Domain.join (Domain.spawn (fun () -> List.iter Thread.join (List.init 2 (fun i -> Thread.create (fun () -> allocate (150 + i) 10) ()))));
  stop ();
  show "threads";
  discard p
