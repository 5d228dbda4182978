(* Values of all kinds come back equal, through strings, channels and buffers. *)
type t = Leaf | Node of t * int * t | Text of { s : string; f : float } | Fn
module M = Map.Make (String)
let rec tree d = if d = 0 then Leaf else Node (tree (d - 1), d, if d mod 3 = 0 then Text { s = string_of_int d; f = 1. /. float d } else tree (d - 2))
and tree' d = if d <= 0 then Leaf else tree d
let through_string v = Marshal.from_string (Marshal.to_string v []) 0
let through_channel v = let name = Filename.temp_file "m" "" in let oc = open_out_bin name in
  for _ = 1 to 3 do Marshal.to_channel oc v [] done; close_out oc;
  let ic = open_in_bin name in let _ = Marshal.from_channel ic in let _ = Marshal.from_channel ic in let v = Marshal.from_channel ic in close_in ic; Sys.remove name; v
let through_buffer v = let b = Bytes.create 200_000 in let n = Marshal.to_buffer b 100 190_000 v [] in assert (Marshal.total_size b 100 = n); Marshal.from_bytes b 100
let check name v = Printf.printf "%s: %b %b %b\n" name (through_string v = v) (through_channel v = v) (through_buffer v = v)
let () =
  check "ints" [0; 1; -1; max_int; min_int; 255; 256; 65536];
  check "floats" [1.5; infinity; neg_infinity; -0.; 4e-320];
  check "float array" (Array.init 1000 (fun i -> float i /. 3.));
  let t = Node (Leaf, 1, Text { s = "x"; f = 2. }) in check "tree" (Node (t, 5, Node (t, 6, t)));
  check "map" (M.bindings (List.fold_left (fun m i -> M.add (string_of_int i) i m) M.empty (List.init 500 Fun.id)));
  check "strings" (List.init 100 (fun i -> String.make i 'x'));
  check "boxed" [Some 1L, 2l, 3n; None, min_int |> Int32.of_int, Nativeint.max_int];
  check "long list" (List.init 5_000 Fun.id);
  check "bytes" (Bytes.of_string "mutable");
  let l : Obj.t list ref = ref [] in l := [Obj.repr l]; let l' = through_string l in Printf.printf "cycle %b\n" (List.hd !l' == Obj.repr l');
  let s = "one" in let (a, b) = through_string (s, s) in let (c, d) = (Marshal.from_string (Marshal.to_string (s, s) [Marshal.No_sharing]) 0 : string * string) in
  Printf.printf "sharing %b %b\n" (a == b) (c == d);
  let f : int -> int = Marshal.from_string (Marshal.to_string (let k = 10 in fun x -> x * k) [Marshal.Closures]) 0 in Printf.printf "closure %d\n" (f 4);
  let a : int Atomic.t = through_string (Atomic.make 5) in Atomic.incr a; Printf.printf "atomic %d\n" (Atomic.get a);
  let h : (string, int) Hashtbl.t = through_string (let h = Hashtbl.create 5 in Hashtbl.add h "k" 1; h) in Hashtbl.add h "l" 2; Printf.printf "table %d\n" (Hashtbl.length h);
  let o = object method m = 3 end in Printf.printf "object %s\n" (match Marshal.from_string (Marshal.to_string o [Marshal.Closures]) 0 with (o' : < m : int >) -> string_of_int o'#m | exception e -> Printexc.to_string e)
