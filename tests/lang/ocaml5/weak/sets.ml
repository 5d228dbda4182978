(* stress: no: says what a collection clears *)
module S = Weak.Make (struct type t = string let equal = String.equal let hash = String.hash end)
let say fmt = Printf.printf (fmt ^^ "\n")
let () =
  let s = S.create 3 in
  let kept = Array.init 100 (fun i -> "kept" ^ string_of_int i) in
  Array.iter (S.add s) kept;
  let[@inline never] more () = for i = 1 to 500 do S.add s ("dead" ^ string_of_int i) done in more ();
  say "%d" (S.count s); Gc.full_major (); say "%d" (S.count s);
  say "%b %b" (S.mem s "kept5") (S.mem s "dead5");
  say "%b" (S.merge s ("kept" ^ "7") == kept.(7));
  let n = S.merge s "another" in say "%b %b" (S.find s "another" == n) (S.find_opt s "nothing" = None);
  S.remove s "kept3"; say "%b %d" (S.mem s "kept3") (S.count s);
  say "%d" (List.length (S.find_all s "kept9"));
  say "%d" (S.fold (fun x n -> n + String.length x) s 0); S.clear s; say "%d" (S.count s);
  ignore (Sys.opaque_identity (kept, n))
