(* A cache that forgets what was used least recently: hash table and doubly linked list. *)
type 'a entry = {
  key : int;
  value : 'a;
  mutable before : 'a entry option;
  mutable after : 'a entry option;
}

type 'a cache = {
  table : (int, 'a entry) Hashtbl.t;
  capacity : int;
  mutable newest : 'a entry option;
  mutable oldest : 'a entry option;
}

let create capacity = { table = Hashtbl.create capacity; capacity; newest = None; oldest = None }

let unlink c e =
  (match e.before with Some b -> b.after <- e.after | None -> c.newest <- e.after);
  match e.after with Some a -> a.before <- e.before | None -> c.oldest <- e.before

let push c e =
  e.before <- None;
  e.after <- c.newest;
  (match c.newest with Some n -> n.before <- Some e | None -> c.oldest <- Some e);
  c.newest <- Some e

let find c key make =
  match Hashtbl.find_opt c.table key with
  | Some e ->
      unlink c e;
      push c e;
      (true, e.value)
  | None ->
      (if Hashtbl.length c.table >= c.capacity then
       match c.oldest with
       | Some e ->
           unlink c e;
           Hashtbl.remove c.table e.key
       | None -> ());
      let e = { key; value = make key; before = None; after = None } in
      Hashtbl.replace c.table key e;
      push c e;
      (false, e.value)

let () =
  let requests = int_of_string Sys.argv.(1) in
  let cache = create 50_000 in
  let seed = ref 7 and hits = ref 0 and bytes = ref 0 in
  for _ = 1 to requests do
    seed := ((!seed * 1103515245) + 12345) land 0x3fffffff;
    let r = (!seed lsr 6) mod 1000 in
    let key = if r < 700 then !seed lsr 4 mod 20_000 else !seed mod 400_000 in
    let hit, value = find cache key (fun k -> Bytes.make (16 + (k land 63)) 'x') in
    if hit then incr hits;
    bytes := !bytes + Bytes.length value
  done;
  Printf.printf "%d hits, %d bytes, %d cached\n" !hits !bytes (Hashtbl.length cache.table)
