(* flags: -g *)
(* Call stacks: the frames at the allocation, the innermost first, cut where it was asked. *)
open Gc.Memprof

let stacks = ref []
let profile ?callstack_size f =
  stacks := [];
  let note (a : allocation) =
    if a.size = 6 || a.size >= 300 || a.source <> Normal then
      stacks := a.callstack :: !stacks; None in
  start ?callstack_size ~sampling_rate:1.
    { null_tracker with alloc_minor = note; alloc_major = note };
  (try ignore (Sys.opaque_identity (f ())) with Exit -> ());
  ignore (Sys.opaque_identity (ref 0));
  stop ();
  List.rev !stacks

let show title stacks =
  Printf.printf "-- %s: %d\n" title (List.length stacks);
  List.iter (fun s ->
    Printf.printf "%d frames\n%s" (Printexc.raw_backtrace_length s) (Printexc.raw_backtrace_to_string s))
    stacks

let one = Sys.opaque_identity 1
let tuple () = (one, 2, 3, 4, 5, 6)
let[@inline never] nested f = let r = f () in Sys.opaque_identity r
let rec deep n f = if n = 0 then f () else let r = deep (n - 1) f in Sys.opaque_identity r
let closure () = let a = one and b = one and c = one and d = one in fun x -> a + b + c + d + x
let partial () = (Sys.opaque_identity (fun a b c d -> a)) 1 2 3
let in_handler () = try nested (fun () -> if one = 1 then raise Not_found; tuple ()) with Not_found -> tuple ()
let under_trap () = try (try nested tuple with Not_found -> tuple ()) with Exit -> tuple ()
let in_finaliser () =
  let r = ref 0 in
  Gc.finalise (fun _ -> ignore (Sys.opaque_identity (tuple ()))) r;
  nested (fun () -> Gc.full_major ())
module M = struct
  let inner x = let local y = (x, y, 3, 4, 5, 6) in local x
end
class c = object method build = (one, 2, 3, 4, 5, 6) end

let () =
  show "tuple" (profile tuple);
  show "nested" (profile (fun () -> nested tuple));
  show "closure" (profile closure);
  show "partial application" (profile partial);
  show "C" (profile (fun () -> Array.make 6 one));
  show "C, large" (profile (fun () -> nested (fun () -> Array.make 300 one)));
  show "bytes" (profile (fun () -> Bytes.create 47));
  show "in the library" (profile (fun () -> List.map (fun x -> (x, 2, 3, 4, 5, 6)) [ 1; 2 ]));
  show "unmarshalled" (profile (fun () -> Marshal.from_string (Marshal.to_string (1, one) []) 0));
  show "custom memory" (profile (fun () -> Bigarray.(Array1.create char c_layout 83)));
  show "in a handler" (profile in_handler);
  show "under traps" (profile under_trap);
  show "in a finaliser" (profile in_finaliser);
  show "local function" (profile (fun () -> M.inner 1));
  show "method" (profile (fun () -> (new c)#build));
  show "sort" (profile (fun () -> List.sort (fun a b -> ignore (Sys.opaque_identity (tuple ())); compare a b) [ 2; 1 ]));
  show "evaluation" (profile (fun () -> Lazy.force (lazy (tuple ()))));
  List.iter (fun n -> show (Printf.sprintf "cut at %d" n) (profile ~callstack_size:n (fun () -> deep 4 tuple)))
    [ 0; 1; 2; 5 ];
  List.iter (fun s -> Printf.printf "deep: %d\n" (Printexc.raw_backtrace_length s))
    (profile (fun () -> deep 20_000 tuple));
  List.iter (fun s -> Printf.printf "cut deep: %d\n" (Printexc.raw_backtrace_length s))
    (profile ~callstack_size:1000 (fun () -> deep 20_000 tuple))

(* Equality, slots, and that a stack outlives compaction. *)
let () =
  let twice () = List.concat_map (fun () -> profile (fun () -> nested tuple)) [ (); () ] in
  match twice () with
  | [ a; b ] ->
    Printf.printf "equal %b, same hash %b\n" (a = b) (Hashtbl.hash a = Hashtbl.hash b);
    Gc.compact ();
    let slots = match Printexc.backtrace_slots a with None -> [||] | Some s -> s in
    Array.iter (fun s ->
      Printf.printf "raise %b inline %b %s\n" (Printexc.Slot.is_raise s) (Printexc.Slot.is_inline s)
        (match Printexc.Slot.location s with
         | None -> "?" | Some l -> Printf.sprintf "%s:%d:%d-%d" l.filename l.line_number l.start_char l.end_char);
      match Printexc.Slot.name s with None -> () | Some n -> print_endline n) slots;
    (match Printexc.get_raw_backtrace_slot a 1000 with
     | _ -> print_endline "no error" | exception Invalid_argument m -> print_endline m)
  | l -> Printf.printf "%d stacks\n" (List.length l)
