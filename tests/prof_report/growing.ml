(* Structures that keep memory: `growing.byte SEED STEPS KIND:SIZE ...` performs an operation on each
   of them STEPS times. Those whose names begin with `leak_` keep something of every operation. *)

let bytes () = 16 + Random.int 160

(* ---- Without leaks. ---- *)

let queue size =
  let q = Queue.create () in
  fun _ ->
    Queue.push (Bytes.create (bytes ())) q;
    if Queue.length q > size then ignore (Queue.pop q)

(* Evicts the oldest entry. *)
let evicting size =
  let table = Hashtbl.create 16 and ages = Queue.create () in
  fun step ->
    Hashtbl.replace table step (Bytes.create (bytes ()));
    Queue.push step ages;
    if Queue.length ages > size then Hashtbl.remove table (Queue.pop ages)

let slots size =
  let slots = Array.make size None in
  fun _ -> slots.(Random.int size) <- Some (Bytes.create (bytes ()))

(* Fills until each key is there. *)
let cache size =
  let table = Hashtbl.create 16 in
  fun _ ->
    let key = Random.int size in
    if not (Hashtbl.mem table key) then (Hashtbl.add table key (Bytes.create (bytes ())); ())

(* One entry for each operation, until it is full. *)
let filling size =
  let table = Hashtbl.create 16 in
  fun step -> if Hashtbl.length table < size then (Hashtbl.add table step (Bytes.create (bytes ())); ())

let batch size =
  let batch = ref [] and length = ref 0 in
  fun _ ->
    batch := Bytes.create (bytes ()) :: !batch;
    incr length;
    if !length >= size then (batch := []; length := 0)

let buffer size =
  let b = Buffer.create 16 in
  fun _ ->
    Buffer.add_bytes b (Bytes.create (bytes ()));
    if Buffer.length b > size * 100 then Buffer.reset b

module Numbers = Map.Make (Int)

(* A balanced tree of about that size: random keys come and go. *)
let tree size =
  let map = ref Numbers.empty in
  fun _ ->
    let key = Random.int (2 * size) in
    map := if Numbers.mem key !map then Numbers.remove key !map
           else Numbers.add key (Bytes.create (bytes ())) !map

(* Sessions that end at random. *)
let sessions size =
  let open_ = Hashtbl.create 16 in
  fun step ->
    Hashtbl.add open_ step (Bytes.create (bytes ()));
    let old = step - Random.int (4 * size) in
    Hashtbl.remove open_ old;
    Hashtbl.remove open_ (step - 4 * size)

(* Built once, when the program has done a third of its work. *)
let once size =
  let kept = ref [] in
  fun step -> if step = size then kept := List.init 3000 (fun _ -> Bytes.create (bytes ()))

let garbage size =
  fun _ -> ignore (Sys.opaque_identity (List.init (size mod 20) (fun _ -> Bytes.create (bytes ()))))

(* ---- Leaks. ---- *)

let leak_list every =
  let kept = ref [] in
  fun step -> if step mod every = 0 then kept := Bytes.create (bytes ()) :: !kept

let leak_table every =
  let table = Hashtbl.create 16 in
  fun step -> if step mod every = 0 then (Hashtbl.replace table step (Bytes.create (bytes ())); ())

let leak_listeners every =
  let listeners = ref [] in
  fun step ->
    let data = Bytes.create (bytes ()) in
    if step mod every = 0 then listeners := (fun () -> Bytes.length data) :: !listeners

(* Most entries are removed. *)
let leak_removals every =
  let table = Hashtbl.create 16 in
  fun step ->
    Hashtbl.replace table step (Bytes.create (bytes ()));
    let old = step - 200 in
    if old mod every <> 0 then Hashtbl.remove table old

let leak_tree every =
  let map = ref Numbers.empty in
  fun step -> if step mod every = 0 then map := Numbers.add step (Bytes.create (bytes ())) !map

let structures =
  [ "queue", queue; "evicting", evicting; "slots", slots; "cache", cache; "filling", filling;
    "batch", batch; "buffer", buffer; "tree", tree; "sessions", sessions; "once", once;
    "garbage", garbage; "leak_list", leak_list; "leak_table", leak_table;
    "leak_listeners", leak_listeners; "leak_removals", leak_removals; "leak_tree", leak_tree ]

let kept = ref []

let () =
  Random.init (int_of_string Sys.argv.(1));
  let steps = int_of_string Sys.argv.(2) in
  let make word =
    match String.split_on_char ':' word with
    | [ kind; size ] -> (List.assoc kind structures) (int_of_string size)
    | _ -> failwith word in
  kept := List.map make (List.tl (List.tl (List.tl (Array.to_list Sys.argv))));
  for step = 1 to steps do
    Bactrian.Profile.count "operation";
    List.iter (fun operation -> operation step) !kept
  done;
  print_int (List.length !kept)
