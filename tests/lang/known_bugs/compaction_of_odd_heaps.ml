(* Compaction of a heap that is full, empty, or one large block (#9853, #10217), with weak pointers,
   customs and finalised values about. *)
let () =
  let w = Weak.create 100 and kept = Array.make 100 None in
  let fill = Array.init 64 (fun i -> Array.make (1 lsl (i mod 14)) i) in
  Gc.compact ();
  for i = 0 to 99 do
    let v = Int64.of_int (i * 1000) in
    Weak.set w i (Some v);
    if i mod 2 = 0 then kept.(i) <- Some v
  done;
  Gc.compact ();
  for i = 0 to 99 do if i mod 2 = 0 then assert (Weak.get w i = kept.(i)) else assert (Weak.get w i = None) done;
  let b = Array.init 50 (fun i -> Bigarray.(Array1.create char c_layout (i * 1000))) in
  Array.iteri (fun i a -> if i mod 2 = 0 then b.(i) <- b.(0)) b;
  Gc.compact ();
  Array.iteri (fun i a -> Bigarray.Array1.fill a 'x') b;
  Array.fill fill 0 32 [||];
  Gc.compact ();
  Printf.printf "%d\n" (Array.fold_left (fun n a -> n + Array.length a) 0 fill);
  let huge = ref [| Array.make 3_000_000 1 |] in
  Gc.compact ();
  huge := [||];
  Gc.compact ();
  Gc.compact ();
  let s = (Gc.quick_stat ()).Gc.compactions in
  Printf.printf "%b\n" (s >= 6)
