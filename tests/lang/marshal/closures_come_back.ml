(* Closures: their bytes name a place in this program's code, and they work when they come back. *)
let hex s =
  let b = Buffer.create 100 in
  String.iter (fun c -> Buffer.add_string b (Printf.sprintf "%02x" (Char.code c))) s;
  Buffer.contents b

(* The digest of the code differs from compiler to compiler, not between two runs of one file. *)
let copy (f : 'a) : 'a =
  let s = Marshal.to_string f [ Marshal.Closures ] in
  Printf.printf "%d bytes %s\n" (String.length s) (hex s);
  let g = Marshal.from_string s 0 in
  Printf.printf "again %b\n" (Marshal.to_string g [ Marshal.Closures ] = s);
  g

let add x y = x + y
let twice f x = f (f x)
let five a b c d e = Printf.sprintf "%d-%s-%.1f-%c-%b" a b c d e
let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)
let make_even_odd step =
  let rec even n = n <= 0 || odd (n - step)
  and odd n = n > 0 && even (n - step)
  and third n = if n < 3 then "small" else if even n then "even" else "odd" in
  (even, odd, third)

let counter () = let n = ref 0 in fun () -> incr n; !n

let () =
  Printf.printf "%d\n" ((copy add) 3 4);
  Printf.printf "%d\n" ((copy (add 10)) 4);
  Printf.printf "%d\n" ((copy (twice (add 3))) 4);
  Printf.printf "%d\n" ((copy twice) (copy succ) 5);
  let p = copy (five 1) in
  let p = copy (p "two") in
  let p = copy (p 3.0) in
  Printf.printf "%s\n" ((copy (p 'c')) true);
  Printf.printf "%s\n" ((copy (five 9 "q")) 0.5 'x' false);
  Printf.printf "%b %b\n" ((copy even) 10) ((copy odd) 10);
  let e, o, t = make_even_odd 2 in
  Printf.printf "%b %b %s\n" ((copy e) 10) ((copy o) 10) ((copy t) 7);
  let o', t', e' = copy (o, t, e) in
  Printf.printf "%b %b %s\n" (e' 11) (o' 11) (t' 8);
  let c = counter () in
  ignore (c ()); ignore (c ());
  let c' = copy c in
  Printf.printf "%d %d\n" (c' ()) (c' ());
  Printf.printf "%d %d\n" (c ()) (c' ());
  let l = copy (lazy (print_string "forced "; add 20 22)) in
  Printf.printf "%d %d\n" (Lazy.force l) (Lazy.force l);
  let m = copy (object method get = 5 method plus n = n + 37 end) in
  Printf.printf "%d %d\n" m#get (m#plus 5);
  let module S = Set.Make (Int) in
  let s = S.of_list [ 3; 1; 2 ] in
  Printf.printf "%b\n" (S.equal s (copy s));
  let fs = copy [ (fun x -> x + 1); (fun x -> x * 2); add 100 ] in
  List.iter (fun f -> Printf.printf "%d " (f 21)) fs;
  print_newline ();
  Printf.printf "%s\n" ((copy (fun fmt -> Printf.sprintf fmt 42)) "%d!");
  let s = Marshal.to_bytes add [ Marshal.Closures ] in
  (* another digest *)
  let at = Bytes.length s - 16 - 2 in
  Bytes.fill s at 16 '\xab';
  match (Marshal.from_bytes s 0 : int -> int) with
  | _ -> print_endline "accepted"
  | exception Failure e -> print_endline (String.sub e 0 (min 32 (String.length e)))
