(* At rate 1 every word of every block is a sample, whatever the callback of the block before did:
   these callbacks allocate nothing, refuse the block or keep it, and look at small integers only. *)
let blocks = Array.make 8 0 (* by size *)
let words = Array.make 8 0
let wrong = ref 0
let same_place = ref 0
let last_depth = ref (-1)

let note (a : Gc.Memprof.allocation) =
  if a.size < 8 then begin
    blocks.(a.size) <- blocks.(a.size) + 1;
    words.(a.size) <- words.(a.size) + a.n_samples
  end;
  if a.n_samples <> a.size + 1 then incr wrong;
  let depth = Printexc.raw_backtrace_length a.callstack in
  if depth = !last_depth then incr same_place;
  last_depth := depth

let forget = fun a -> note a; None
let keep = fun a -> note a; Some ()

let tracker ?(died = ignore) alloc =
  { Gc.Memprof.null_tracker with alloc_minor = alloc; alloc_major = alloc;
    dealloc_minor = died; dealloc_major = died }

let rec list n acc = if n = 0 then acc else list (n - 1) (n :: acc)
let floats = Array.make 3 0.
let rec deeper n = if n = 0 then ignore (Sys.opaque_identity (list 20 [])) else (deeper (n - 1); ignore (Sys.opaque_identity (ref n)))

let work () =
  ignore (Sys.opaque_identity (list 100 []));
  for i = 1 to 50 do
    ignore (Sys.opaque_identity (i, i, i));
    ignore (Sys.opaque_identity (ref i));
    floats.(0) <- Sys.opaque_identity (float_of_int i *. 2.);
    ignore (Sys.opaque_identity (Some (fun x -> x + i)))
  done;
  deeper 30

let report name =
  Printf.printf "%s: wrong %d, again the same depth %d\n" name !wrong !same_place;
  Array.iteri (fun size n -> if n > 0 then Printf.printf "  size %d: %d blocks, %d samples\n" size n words.(size)) blocks;
  Array.fill blocks 0 8 0;
  Array.fill words 0 8 0;
  same_place := 0

let () =
  List.iter (fun (name, size, alloc) ->
      Gc.Memprof.start ~callstack_size:size ~sampling_rate:1. (tracker alloc);
      work ();
      Gc.Memprof.stop ();
      report name)
    ["none, 10 frames", 10, forget; "some, 10 frames", 10, keep; "none, all frames", 1000, forget;
     "none, no frames", 0, forget]

(* The callback of a kept block runs collections, so that the block is made after them. *)
let () =
  let alive = ref [] in
  let collect (a : Gc.Memprof.allocation) =
    if a.size = 2 then Gc.minor ();
    note a;
    Some () in
  let deaths = ref 0 in
  Gc.Memprof.start ~callstack_size:3 ~sampling_rate:1. (tracker ~died:(fun () -> incr deaths) collect);
  for i = 1 to 200 do
    if i mod 2 = 0 then alive := i :: !alive else ignore (Sys.opaque_identity [i])
  done;
  Gc.minor ();
  Gc.Memprof.stop ();
  Printf.printf "%d alive, %d deaths\n" (List.length !alive) !deaths;
  report "collections"
