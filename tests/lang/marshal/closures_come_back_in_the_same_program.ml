let base = ref 100
let make n = fun x -> x + n + !base

let () =
  (try ignore (Marshal.to_string (make 1) []) with Invalid_argument s -> print_endline s);
  let s = Marshal.to_string (make 5) [ Marshal.Closures ] in
  let f : int -> int = Marshal.from_string s 0 in
  Printf.printf "%d\n" (f 1);
  let rec even n = n = 0 || odd (n - 1)
  and odd n = n <> 0 && even (n - 1) in
  let (e, o) : (int -> bool) * (int -> bool) =
    Marshal.from_string (Marshal.to_string (even, odd) [ Marshal.Closures ]) 0 in
  Printf.printf "%b %b %b %b\n" (e 10) (e 7) (o 10) (o 7);
  let partial = List.fold_left (fun a b -> (a * 10) + b) in
  let p : int -> int list -> int = Marshal.from_string (Marshal.to_string partial [
      Marshal.Closures ]) 0 in
  Printf.printf "%d\n" (p 1 [ 2; 3 ]);
  let table : (string * (float -> float)) list =
    Marshal.from_string (Marshal.to_string [ ("sqrt", sqrt); ("twice",
        fun x -> x *. 2.0) ] [ Marshal.Closures ]) 0
  in
  List.iter (fun (n, f) -> Printf.printf "%s %g\n" n (f 16.0)) table;
  let l : int Lazy.t = Marshal.from_string (Marshal.to_string (lazy (make 3 4)) [
      Marshal.Closures ]) 0 in
  Printf.printf "%d\n" (Lazy.force l);
  Printf.printf "%d\n" (String.length s)
