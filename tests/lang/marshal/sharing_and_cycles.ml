let dump ?(flags = []) v =
  let s = Marshal.to_string v flags in
  String.iter (fun c -> Printf.printf "%02x" (Char.code c)) s;
  print_newline ();
  s

type node = { id : int; mutable next : node option }

let () =
  let s = "shared" in
  ignore (dump (s, s));
  ignore (dump ~flags:[ Marshal.No_sharing ] (s, s));
  let (a, b) : string * string = Marshal.from_string (dump (s, s)) 0 in
  Printf.printf "%b\n" (a == b);
  let (a, b) : string * string = Marshal.from_string (dump ~flags:[ Marshal.No_sharing ] (s,
      s)) 0 in
  Printf.printf "%b\n" (a == b);
  let n = { id = 1; next = None } in
  let m = { id = 2; next = Some n } in
  n.next <- Some m;
  let r : node = Marshal.from_string (dump n) 0 in
  (match r.next with
   | Some { id; next = Some back } -> Printf.printf "%d %b\n" id (back == r)
   | _ -> ());
  let x = 1.5 and big = List.init 70 (fun i -> (i, "s" ^ string_of_int i)) in
  ignore (dump [ x; x; 2.5; x ]);
  let many = Array.init 300 (fun i -> if i mod 2 = 0 then s else string_of_int i) in
  let t : string array = Marshal.from_string (dump many) 0 in
  Printf.printf "%b %b\n" (t.(0) == t.(298)) (t = many);
  Printf.printf "%b\n" ((Marshal.from_string (Marshal.to_string (big, big) []) 0) = (big, big));
  let f = [| 1.0; 2.0 |] in
  ignore (dump [ f; f ])
