(* Values of all kinds; physical equality in compare_and_set. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let () =
  let a = Atomic.make 5 in
  say "%d %d %d" (Atomic.get a) (Atomic.exchange a 6) (Atomic.get a);
  say "%b %b %d" (Atomic.compare_and_set a 6 7) (Atomic.compare_and_set a 6 8) (Atomic.get a);
  say "%d %d %d" (Atomic.fetch_and_add a 10) (Atomic.fetch_and_add a (-3)) (Atomic.get a);
  Atomic.incr a; Atomic.incr a; Atomic.decr a; Atomic.set a (Atomic.get a * 2); say "%d" (Atomic.get a);
  let m = Atomic.make max_int in
  say "%d %d" (Atomic.fetch_and_add m 1) (Atomic.get m);
  Atomic.decr m; say "%b" (Atomic.get m = max_int);
  let f = Atomic.make 1.5 in
  let v = Atomic.get f in
  say "%b %b %g" (Atomic.compare_and_set f 1.5 2.5) (Atomic.compare_and_set f v 3.5) (Atomic.get f);
  let s = Atomic.make "one" in
  let old = Atomic.get s in
  Atomic.set s "two"; say "%b %s %s" (Atomic.compare_and_set s old "three") (Atomic.exchange s "four") (Atomic.get s);
  let l = Atomic.make [] in
  for i = 1 to 5 do Atomic.set l (i :: Atomic.get l) done;
  say "%s" (String.concat "" (List.map string_of_int (Atomic.get l)));
  let o = Atomic.make None in
  say "%b %b" (Atomic.compare_and_set o None (Some 1)) (Atomic.compare_and_set o (Some 1) None);
  let c = Atomic.make (fun x -> x + 1) in
  let g = Atomic.get c in Atomic.set c (fun x -> g (g x)); say "%d" ((Atomic.get c) 1);
  let e = Atomic.make Exit in say "%b" (Atomic.exchange e Not_found == Exit && Atomic.get e == Not_found);
  let r = Obj.repr a in say "%d %d" (Obj.tag r) (Obj.size r);
  let n = Atomic.make_contended 9 in
  say "%d %d %b" (Atomic.fetch_and_add n 1) (Atomic.get n) (Obj.size (Obj.repr n) >= 1);
  say "%b %d" (Atomic.make 3 = Atomic.make 3) (compare (Atomic.make 3) (Atomic.make 4));
  say "%d" (Atomic.get (Marshal.from_string (Marshal.to_string a []) 0));
  say "%d" (Hashtbl.hash (Atomic.make 3))
