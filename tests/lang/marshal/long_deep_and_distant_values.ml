(* References over every distance; values nested deeply to either side. *)
let hex s =
  let b = Buffer.create 100 in
  String.iter (fun c -> Buffer.add_string b (Printf.sprintf "%02x" (Char.code c))) s;
  Buffer.contents b

let show s =
  if String.length s <= 200 then hex s
  else Printf.sprintf "%d bytes, %s, begins %s" (String.length s) (Digest.to_hex (Digest.string s))
         (hex (String.sub s 0 40))

(* Sharing over longer and longer distances *)
let () =
  List.iter
    (fun n ->
      let a = Array.init n (fun i -> ref i) in
      let v = (a, a.(0), a.(n - 1), a.(n / 2)) in
      let s = Marshal.to_string v [] in
      let b, x, y, z = Marshal.from_string s 0 in
      Printf.printf "distance %d: %s %b %b %b %b\n" n (show s) (b.(0) == x) (b.(n - 1) == y) (b.(n / 2) == z)
        (b.(0) == y))
    [ 2; 10; 254; 255; 256; 257; 300; 65000; 65535; 65536; 70000 ]

(* Long and deep values *)
type deep = Leaf | Left of deep * int | Right of int * deep
let () =
  let rec count n = function Leaf -> n | Left (d, _) | Right (_, d) -> count (n + 1) d in
  let rec left n d = if n = 0 then d else left (n - 1) (Left (d, n)) in
  let rec right n d = if n = 0 then d else right (n - 1) (Right (n, d)) in
  List.iter
    (fun d ->
      let s = Marshal.to_string d [] in
      let e : deep = Marshal.from_string s 0 in
      Printf.printf "deep %s: %d %b\n" (show s) (count 0 e) (Marshal.to_string e [] = s))
    [ left 200000 Leaf; right 200000 Leaf; left 1000 (right 1000 (left 50000 Leaf)) ];
  let l = List.init 300000 (fun i -> if i mod 3 = 0 then `I i else if i mod 3 = 1 then `S (string_of_int i) else `F (float_of_int i)) in
  let s = Marshal.to_string l [] in
  Printf.printf "list %s %b\n" (show s) (Marshal.from_string s 0 = l)
