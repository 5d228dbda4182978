(* Random operations on a table of blocks of every kind, at a given rate: conservation RATE OPERATIONS
   SEED. Every sampled block is reported once, promoted at most once, reported dead at most once, and
   not while it is alive; in the end all are. *)
let rate = float_of_string Sys.argv.(1)
let operations = int_of_string Sys.argv.(2)
let () = Random.init (int_of_string Sys.argv.(3))

type story = { id : int; mutable state : int; guard : string }
let young = 0 and old = 1 and dead = 2
let born = ref 0 and deaths = ref 0 and promotions = ref 0 and errors = ref 0
let error s = incr errors; if !errors < 10 then print_endline s
let depth = ref 0

let enter f v =
  incr depth;
  if !depth > 1 then error "a callback in a callback";
  let r = f v in
  decr depth;
  r

let alloc state (a : Gc.Memprof.allocation) =
  incr born;
  if a.n_samples < 1 || a.n_samples > a.size + 1 then error "multiplicity";
  if Random.int 50 = 0 then ignore (Sys.opaque_identity (Array.make (Random.int 400) 0));
  if Random.int 2000 = 0 then Gc.minor ();
  if Random.int 20000 = 0 then Gc.full_major ();
  Some { id = !born; state; guard = string_of_int !born }

let check s = if s.guard <> string_of_int s.id then error "metadata damaged"
let promote s =
  check s;
  if s.state <> young then error "promoted twice";
  incr promotions;
  if Random.bool () then (s.state <- old; Some s)
  else Some { s with state = old }
let dealloc state s =
  check s;
  if s.state <> state then error "died in the wrong heap or twice";
  s.state <- dead;
  incr deaths;
  if Random.int 100 = 0 then ignore (Sys.opaque_identity (List.init 20 (fun i -> (i, i))))

let tracker = {
  Gc.Memprof.alloc_minor = (fun a -> enter (alloc young) a);
  alloc_major = (fun a -> enter (alloc old) a);
  promote = (fun s -> enter promote s);
  dealloc_minor = (fun s -> enter (dealloc young) s);
  dealloc_major = (fun s -> enter (dealloc old) s) }

let table : Obj.t array = Array.make 500 (Obj.repr 0)
let weak : Obj.t Weak.t = Weak.create 50
let text = Marshal.to_string (Array.init 60 (fun i -> (i, string_of_int i))) []

let make () : Obj.t =
  let i = Random.int 500 in
  match Random.int 14 with
  | 0 -> Obj.repr (ref i)
  | 1 -> Obj.repr (i, i, [ i ])
  | 2 -> Obj.repr (Array.make (Random.int 300) table.(i))
  | 3 -> Obj.repr (Bytes.create (Random.int 5000))
  | 4 -> Obj.repr (float_of_int i)
  | 5 -> Obj.repr (fun x -> x + i)
  | 6 -> if Random.int 10 = 0 then Obj.repr (Marshal.from_string text 0 : (int * string) array) else Obj.repr i
  | 7 -> Obj.repr (Bigarray.(Array1.create char c_layout (1 + Random.int 2000)))
  | 8 -> Obj.repr (lazy (ref i))
  | 9 -> Obj.repr (List.init (Random.int 30) (fun j -> (j, table.(i))))
  | 10 -> Obj.repr (Int64.of_int i)
  | 11 -> let b = ref i in if Random.int 20 = 0 then Gc.finalise (fun r -> incr r) b; Obj.repr b
  | 12 -> Weak.set weak (i mod 50) (Some (Obj.repr (ref i))); Obj.repr i
  | _ -> Obj.repr (String.concat "," [ string_of_int i; "x" ])

let step n =
  let i = Random.int 500 in
  match Random.int 1000 with
  | 0 -> Gc.minor ()
  | 1 when Random.int 10 = 0 -> Gc.full_major ()
  | 2 -> ignore (Gc.major_slice 0)
  | 3 -> Array.fill table 0 250 (Obj.repr 0)
  | k when k < 300 -> table.(i) <- Obj.repr 0
  | _ -> table.(i) <- make ()

let () =
  Gc.Memprof.start ~callstack_size:5 ~sampling_rate:rate tracker;
  for n = 1 to operations do step n done;
  Array.fill table 0 500 (Obj.repr 0);
  Weak.fill weak 0 50 None;
  for _ = 1 to 3 do Gc.full_major () done;
  let alive = !born - !deaths in
  Gc.Memprof.stop ();
  if !born = 0 || !promotions = 0 then error "nothing happened";
  (* What the last lines made themselves. *)
  if alive > 10 + int_of_float (rate *. 200.) then error (Printf.sprintf "%d of %d blocks never died" alive !born);
  Printf.printf "%d errors\n" !errors;
  exit (min 1 !errors)
