(* The string that is read is young and moves while the value is built (#12056); a custom
   block whose reader raises leaves the heap as it was (#14007); shared boxed numbers stay
   shared (js_of_ocaml #1456). *)
let () =
  for i = 1 to 300 do
    let v = List.init (i * 3) (fun k -> (k, string_of_int k, float_of_int k)) in
    let w : (int * string * float) list = Marshal.from_string (Marshal.to_string v []) 0 in
    assert (v = w);
    let b = Marshal.to_bytes (Array.make (i * 10) v) [] in
    let a : (int * string * float) list array = Marshal.from_bytes b 0 in
    assert (Array.for_all (fun l -> l == a.(0)) a && a.(0) = v)
  done;
  print_endline "moved"

let () =
  let bytes = Marshal.to_bytes (List.init 200 (fun i -> Some (Int64.of_int i)), "end") [] in
  let n = Bytes.length bytes in
  let failed = ref 0 in
  let kept = List.init 100 (fun i -> ref (string_of_int i)) in
  for i = 20 to n - 1 do
    let b = Bytes.copy bytes in
    Bytes.set b i '\x1f';
    (match (Marshal.from_bytes b 0 : (int64 option list * string)) with
     | _ -> () | exception Failure _ -> incr failed);
    if i mod 10 = 0 then Gc.full_major ();
    if i mod 100 = 0 then Gc.compact ()
  done;
  Printf.printf "%b %s\n" (!failed > 100) (String.concat "" (List.map (fun r -> !r) kept))

let () =
  let x = Sys.opaque_identity 1.5 and n = Sys.opaque_identity 7L and s = String.make 3 's' in
  let f = [| x; x |] and z = Nativeint.of_int (Sys.opaque_identity 5) in
  let bytes = Marshal.to_string (x, (n, x), [ n; n ], f, f, s, (s, z, z), Int32.one) [] in
  let (x', (n', y'), l', f', g', s', (t', z', u'), _) :
      float * (int64 * float) * int64 list * float array * float array * string * (string * nativeint * nativeint) * int32 =
    Marshal.from_string bytes 0 in
  Printf.printf "%d %b %b %b %b %b %b\n" (String.length bytes) (x' == y') (List.for_all (( == ) n') l')
    (f' == g') (s' == t') (z' == u') ((x', n', f', s', z') = (x, n, f, s, z))
