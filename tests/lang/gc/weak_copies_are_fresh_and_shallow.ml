(* Weak.get_copy: a copy of each kind of block, sharing what the block refers to. *)
let copied name v equal =
  let w = Weak.create 1 in
  Weak.set w 0 (Some v);
  match Weak.get_copy w 0 with
  | None -> Printf.printf "%s: empty\n" name
  | Some c -> Printf.printf "%s: same %b equal %b tag %d\n" name (c == v) (equal c v) (Obj.tag (Obj.repr c))

let rec even n = if n = 0 then true else odd (n - 1)
and odd n = if n = 0 then Sys.opaque_identity false else even (n - 1)

let () =
  let k = Sys.opaque_identity 3 in
  copied "string" (String.make 20 'x') ( = );
  copied "long string" (String.make 5000 'y') ( = );
  copied "float" (Sys.opaque_identity 1.5 *. 2.) ( = );
  copied "float array" (Array.init 10 float) ( = );
  copied "list" (List.init 10 (fun i -> i)) ( = );
  copied "array" (Array.init 1000 string_of_int) ( = );
  copied "int64" (Int64.of_int k) ( = );
  copied "closure" (fun x -> x + k) (fun f g -> f 1 = g 1);
  let rec a x = if x = 0 then k else b (x - 1) and b x = if x = 0 then k + 1 else a (x - 1) in
  copied "inner closure" b (fun f g -> f 4 = g 4 && f 5 = g 5);
  copied "global closure" odd (fun f g -> f 7 = g 7);
  let inner = ref 1 in
  let w = Weak.create 1 in
  let outer = ref inner in
  Weak.set w 0 (Some outer);
  (match Weak.get_copy w 0 with
   | Some c -> Printf.printf "shares %b\n" (!c == inner)
   | None -> print_endline "?");
  let big = Array.init 400 (fun i -> ref i) in
  let v = Weak.create 1 in
  Weak.set v 0 (Some big);
  Gc.full_major ();
  (match Weak.get_copy v 0 with
   | Some c -> Gc.full_major (); Printf.printf "%d %b\n" !(c.(399)) (c.(7) == big.(7))
   | None -> print_endline "?");
  ignore (Sys.opaque_identity (outer, big))
