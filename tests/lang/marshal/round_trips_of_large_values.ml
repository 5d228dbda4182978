type tree = Leaf | Node of tree * string * float * tree

let rec build n = if n = 0 then Leaf else Node (build (n - 1), string_of_int n, float n /. 3.0,
    build (n - 2 |> max 0))

let () =
  let t = build 14 in
  let s = Marshal.to_string t [] in
  Printf.printf "%d %s\n" (String.length s) (Digest.to_hex (Digest.string s));
  Printf.printf "%b\n" (Marshal.from_string s 0 = t);
  let l = List.init 200_000 (fun i -> i) in
  let s = Marshal.to_bytes l [ Marshal.No_sharing ] in
  Printf.printf "%d %b\n" (Bytes.length s) (Marshal.from_bytes s 0 = l);
  let deep = ref [] in
  for i = 1 to 100_000 do deep := [ Obj.repr !deep; Obj.repr i ] |> Obj.magic done;
  let s = Marshal.to_string !deep [] in
  let d : Obj.t list = Marshal.from_string s 0 in
  Printf.printf "%d %s %d\n" (String.length s) (Digest.to_hex (Digest.string s)) (List.length d);
  let strings = Array.init 2000 (fun i -> String.make (i mod 300) (Char.chr (i land 255))) in
  let s = Marshal.to_string strings [] in
  Printf.printf "%d %b\n" (String.length s) ((Marshal.from_string s 0 : string array) = strings);
  let floats = Array.init 5000 (fun i -> float i *. 0.1) in
  let s = Marshal.to_string floats [] in
  Printf.printf "%d %b\n" (String.length s) ((Marshal.from_string s 0 : float array) = floats);
  let h = Hashtbl.create 10 in
  for i = 0 to 999 do Hashtbl.add h i (string_of_int i) done;
  let h2 : (int, string) Hashtbl.t = Marshal.from_string (Marshal.to_string h []) 0 in
  Gc.full_major ();
  Printf.printf "%s %d\n" (Hashtbl.find h2 500) (Hashtbl.length h2)
