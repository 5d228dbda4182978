(* env: OCAMLRUNPARAM=l=5000 *)
(* The stack grows by doubling until its size is not below the limit; a function is entered if its
   arguments leave some words free. *)
let depth = ref 0
let rec one n = depth := n; 1 + one (n + 1)
let rec two a b = depth := a; 1 + two (a + 1) b
let rec seven a b c d e f g = depth := a; 1 + seven (a + 1) b c d e f g
let leaf n = n land 1
let rec inlined n = depth := n; leaf n + (leaf (n + 1) + inlined (n + 1))
let rec folded n = depth := n; List.fold_left (fun sum _ -> sum + folded (n + 1)) 0 [ 1 ]
let rec handled n = depth := n; try 1 + handled (n + 1) with Not_found -> 3
let o = object (self) method sent n : int = depth := n; 1 + self#sent (n + 1) end
let rec wide n =
  depth := n;
  let a = n + 1 in let b = a + n in let c = b + a in let d = c + b in let e = d + c in let f = e + d in
  let g = f + e in let h = g + f in let i = h + g in let j = i + h in let k = j + i in let l = k + j in
  let m = l + k in let p = m + l in let q = p + m in let r = q + p in let s = r + q in let t = s + r in
  wide a + a + b + c + d + e + f + g + h + i + j + k + l + m + p + q + r + s + t
let run name f =
  (try ignore (f 0) with Stack_overflow -> ());
  Printf.printf " %s %d" name !depth
let all () =
  run "one" one; run "two" (two 0); run "seven" (seven 0 0 0 0 0 0); run "inlined" inlined;
  run "folded" folded; run "handled" handled; run "sent" o#sent; run "wide" wide;
  print_newline ()
let set_limit n = Gc.set { (Gc.get ()) with Gc.stack_limit = n }
let rec at n f = if n = 0 then f () else (at (n - 1) f; depth := n)
let () =
  for i = 0 to 8 do at i all done;
  List.iter (fun limit -> set_limit limit; all ()) [ 20_000; 1000; 30_000; 70_001 ];
  at 10 (fun () -> set_limit 1);
  Printf.printf "%d\n" (Gc.get ()).Gc.stack_limit
