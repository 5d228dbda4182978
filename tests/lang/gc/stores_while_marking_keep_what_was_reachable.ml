(* Blocks move between slots of major blocks, by way of the stack, while the heap is marked: the
   only reference to a block is often in a slot that was scanned before it came there. Integers,
   major and young blocks replace each other. *)

type cell = { mutable content : Obj.t; mutable next : cell option; number : int }

let cells = Array.init 8_000 (fun i -> { content = Obj.repr [ i ]; next = None; number = i })

let make i = Obj.repr [ i; i + 1; i + 2 ]

let is_whole o =
  Obj.is_int o
  || match (Obj.obj o : int list) with
     | [ _ ] -> true
     | [ a; b; c ] -> b = a + 1 && c = b + 1
     | _ -> false

(* One step: a's content goes to b, b's to c, and a gets an integer or a young block. *)
let move i =
  let n = Array.length cells in
  let a = cells.(i * 7919 mod n) and b = cells.(i * 104_729 mod n) and c = cells.(i * 31 mod n) in
  let x = a.content and y = b.content in
  a.content <- (if i land 3 = 0 then Obj.repr i else make i);
  b.next <- None;
  c.content <- y;
  b.content <- x;
  c.next <- (if i land 1 = 0 then Some a else None)

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 4096; space_overhead = 20 };
  for i = 1 to 60_000 do move i done;
  let blocks = ref 0 in
  Array.iter
    (fun c ->
      if not (is_whole c.content) then Printf.printf "%d is damaged\n" c.number;
      if Obj.is_block c.content then incr blocks;
      match c.next with
      | Some d -> if not (is_whole d.content) then Printf.printf "%d is damaged\n" d.number
      | None -> ())
    cells;
  Printf.printf "%d blocks\n" !blocks
