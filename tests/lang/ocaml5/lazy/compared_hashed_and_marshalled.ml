let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with s -> say "%s: %s" name s | exception e -> say "%s: %s" name (Printexc.to_string e)
type stream = cell Lazy.t and cell = Cell of int * stream
let forced x = let l = Lazy.from_fun (fun () -> x) in ignore (Lazy.force l); l
let () =
  show "forced, equal" (fun () -> string_of_bool (forced [1; 2] = forced [1; 2]));
  show "forced, different" (fun () -> string_of_int (compare (forced 1) (forced 2)));
  show "forced and value" (fun () -> string_of_bool (forced "a" = Lazy.from_val "a"));
  show "not forced" (fun () -> string_of_bool (Lazy.from_fun (fun () -> 1) = Lazy.from_fun (fun () -> 1)));
  show "hash of forced" (fun () -> Printf.sprintf "%b" (Hashtbl.hash (forced "abc") = Hashtbl.hash "abc"));
  show "hash of forced float" (fun () -> Printf.sprintf "%b" (Hashtbl.hash (forced 2.5) = Hashtbl.hash 2.5));
  show "marshal forced" (fun () -> let l : int list Lazy.t = Marshal.from_string (Marshal.to_string (forced [3; 4]) []) 0 in String.concat "," (List.map string_of_int (Lazy.force l)));
  show "marshal forced float" (fun () -> let l : float Lazy.t = Marshal.from_string (Marshal.to_string (forced 1.5) []) 0 in string_of_float (Lazy.force l));
  show "marshal not forced" (fun () -> String.escaped (Marshal.to_string (Lazy.from_fun (fun () -> 1)) []));
  show "marshal with closures" (fun () -> let l : int Lazy.t = Marshal.from_string (Marshal.to_string (Lazy.from_fun (fun () -> 11)) [Marshal.Closures]) 0 in string_of_int (Lazy.force l));
  show "streams" (fun () ->
    let rec from n = lazy (Cell (n, from (n + 1))) in
    let rec take k s = if k = 0 then [] else let (lazy (Cell (n, rest))) = s in n :: take (k - 1) rest in
    let s = from 1 in ignore (take 5 s); Gc.full_major (); String.concat " " (List.map string_of_int (take 10 s)))
