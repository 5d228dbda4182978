(* flags: -g *)
(* Call stacks and backtraces asked for inside of callbacks of Memprof, kept while the collector
   moves things (#14340, #14287); callbacks that come from allocations in C (#8691), of blocks above
   the minor heap (#10056), of customs (#10025); the first callback always comes (#9674). *)
open Gc.Memprof

let seen = Hashtbl.create 10
let count name = Hashtbl.replace seen name (1 + try Hashtbl.find seen name with Not_found -> 0)
let stacks = ref []

let look (a : allocation) =
  let here = Printexc.get_callstack 30 in
  (match Printexc.backtrace_slots here with
   | Some slots -> Array.iter (fun s -> ignore (Printexc.Slot.format 0 s)) slots
   | None -> count "no slots");
  (match Printexc.backtrace_slots a.callstack with
   | Some slots -> if Array.length slots > 0 then count "slots"
   | None -> count "no slots of the allocation");
  if List.length !stacks < 100 then stacks := a.callstack :: !stacks;
  Some (ref a.size)

let track =
  { alloc_minor = (fun a -> count "minor"; look a);
    alloc_major = (fun a -> count "major"; look a);
    promote = (fun r -> ignore (Printexc.get_callstack 5); count "promoted"; Some r);
    dealloc_minor = (fun r -> ignore (Printexc.get_callstack 5); count "minor gone");
    dealloc_major = (fun r -> ignore (Printexc.get_callstack 5); count "major gone") }

let rec deep n f = if n = 0 then f () else 1 + deep (n - 1) f
let work n =
  let l = List.init n string_of_int in
  let s = String.concat "," l in
  let a = Array.make 300 s in
  let b = Marshal.to_bytes l [] in
  let l' : string list = Marshal.from_bytes b 0 in
  let c = Bigarray.(Array1.create char c_layout (n + 10)) in
  let d = Int64.of_string (string_of_int n) in
  let f = Array.map float_of_int (Array.init n Fun.id) in
  ignore (Sys.opaque_identity (a, c, d, f, Array.append a a, Bytes.extend b 1 3));
  List.length l'

let () =
  start ~callstack_size:20 ~sampling_rate:1. track;
  let total = ref 0 in
  for i = 1 to 10 do
    total := !total + deep i (fun () -> work (i * 4));
    if i mod 3 = 0 then Gc.full_major ()
  done;
  (try ignore (deep 5 (fun () -> ignore (Sys.opaque_identity (ref 1)); failwith "out")) with Failure _ -> ());
  stop ();
  Gc.compact ();
  let many name least = Printf.printf "%s %b\n" name ((try Hashtbl.find seen name with Not_found -> 0) >= least) in
  many "minor" 200; many "major" 10; many "promoted" 5; many "minor gone" 50; many "slots" 200;
  Printf.printf "%d %d %b %b\n" !total (List.length !stacks) (Hashtbl.mem seen "no slots") (Hashtbl.mem seen "no slots of the allocation");
  Printf.printf "%b\n" (List.for_all (fun s -> String.length (Printexc.raw_backtrace_to_string s) > 0) !stacks)

(* The callback of an allocation comes even when the program stops profiling right after it, and
   none comes from within a callback. *)
let () =
  let inside = ref 0 and calls = ref 0 and nested = ref 0 in
  let f _ =
    incr calls;
    if !inside > 0 then incr nested;
    incr inside;
    ignore (Sys.opaque_identity (List.init 100 string_of_int));
    decr inside;
    None in
  for i = 1 to 50 do
    start ~sampling_rate:1. { null_tracker with alloc_minor = f; alloc_major = f };
    let r = Sys.opaque_identity (ref i) in
    stop ();
    ignore r
  done;
  Printf.printf "%b %d\n" (!calls >= 50) !nested
