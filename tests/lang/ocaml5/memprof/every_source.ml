(* flags: -g *)
(* jit: no: counts integers that stay in registers *)
(* The source, size and number of samples of each kind of allocation, at a rate of 1: blocks, the memory of
   bigarrays, unmarshalled values. *)
open Gc.Memprof
let () =
  let log = ref [] in
  let f kind = fun (i : allocation) -> log := (kind, i.source, i.size, i.n_samples) :: !log; (None : unit option) in
  let t = { null_tracker with alloc_minor = f "minor"; alloc_major = f "major" } in
  let data = Marshal.to_string [ Some "a"; None; Some (String.make 3000 'x') ] [] and small = Marshal.to_string [ 1; 2 ] [] in
  let run name g =
    log := [];
    let p = start ~callstack_size:3 ~sampling_rate:1. t in
    let r = g () in
    stop (); discard p; ignore (Sys.opaque_identity r);
    Printf.printf "%s:\n" name;
    List.iter (fun (k, s, size, n) -> Printf.printf "  %s %s %d %d\n" k (match s with Normal -> "Normal" | Marshal -> "Marshal" | Custom -> "Custom") size n) (List.rev !log) in
  run "nothing" (fun () -> Obj.repr 0);
  run "bigarray of 83" (fun () -> Obj.repr (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 83));
  run "bigarray of 70000" (fun () -> Obj.repr (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 70000));
  run "bigarray of 70001" (fun () -> Obj.repr (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 70001));
  run "marshal" (fun () -> Obj.repr (Marshal.from_string data 0 : Obj.t));
  run "small marshal" (fun () -> Obj.repr (Marshal.from_string small 0 : Obj.t));
  run "channel" (fun () -> let c = open_in "/dev/null" in close_in c; Obj.repr c);
  run "string" (fun () -> Obj.repr (String.make 100 'a'));
  run "float" (fun () -> Obj.repr (Sys.opaque_identity 1.5 +. 1.));
  run "boxed" (fun () -> Obj.repr (Int64.add 3L (Int64.of_int (Array.length Sys.argv))));
  run "weak" (fun () -> Obj.repr (Weak.create 3 : int ref Weak.t));
  run "mutex" (fun () -> Obj.repr (Mutex.create ()));
  run "blake" (fun () -> Obj.repr (Digest.BLAKE128.string "a"));
  run "atomic" (fun () -> Obj.repr (Atomic.make_contended 3));
  run "partial" (fun () -> let f a b c = a + b + c in Obj.repr (Sys.opaque_identity f 1));
  run "perform" (fun () -> let open Effect in let module M = struct type _ t += A : int t end in
    Effect.Deep.match_with (fun () -> perform M.A) () { retc = (fun x -> Obj.repr x); exnc = raise; effc = (fun (type a) (e : a t) -> match e with M.A -> Some (fun (k : (a, _) Effect.Deep.continuation) -> Effect.Deep.continue k 3) | _ -> None) })
