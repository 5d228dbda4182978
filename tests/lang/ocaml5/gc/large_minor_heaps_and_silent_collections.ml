(* env: OCAMLRUNPARAM=s=300M,d=1,v=0x1f *)
(* The minor heap may be larger than OCaml 4 allows; v no longer reports collections and growth. *)
let size () = (Gc.get ()).Gc.minor_heap_size
let set n = Gc.set { (Gc.get ()) with Gc.minor_heap_size = n }
let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)
let () =
  Printf.printf "%d %d\n" (size ()) (Gc.get ()).Gc.verbose;
  List.iter (fun n -> set n; Printf.printf "%d\n" (size ())) [ 100_000; 290_000_000; 1000 ];
  for i = 1 to 100 do ignore (Sys.opaque_identity (Array.make 10_000 i)) done;
  Printf.printf "%d\n" (deep 100_000);
  Gc.minor (); Gc.full_major (); Gc.compact ()
