(* A big mutable heap: long-lived records whose links change all the time. *)
type cell = { id : int; mutable next : cell option; mutable payload : int list; mutable hits : int }

let () =
  let n = int_of_string Sys.argv.(1) in
  let cells = Array.init n (fun id -> { id; next = None; payload = []; hits = 0 }) in
  let seed = ref 1 in
  let random bound =
    seed := ((!seed * 1103515245) + 12345) land 0x3fffffff;
    (!seed lsr 7) mod bound
  in
  for step = 1 to 6 * n do
    let a = cells.(random n) and b = cells.(random n) in
    a.next <- Some b;
    b.hits <- b.hits + 1;
    if step land 3 = 0 then a.payload <- [ step; a.id; b.id ];
    if step land 15 = 0 then
      cells.(a.id) <- { a with next = b.next; payload = List.rev b.payload }
  done;
  let rec walk cell left acc =
    if left = 0 then acc
    else
      match cell.next with
      | None -> acc
      | Some next -> walk next (left - 1) (acc + next.id + List.length next.payload)
  in
  let sum = Array.fold_left (fun acc c -> (acc + walk c 3 0) land 0xffffff) 0 cells in
  Printf.printf "%d %d\n" sum (Array.fold_left (fun m c -> max m c.hits) 0 cells)
