(* packages: sha,bigstringaf,cstruct,integers,base - digests in C; memory outside the heap, unsigned integers, hashing. *)
let () =
  List.iter print_endline [Sha1.(to_hex (string "abc")); Sha256.(to_hex (string "abc")); Sha512.(to_hex (string ""))];
  let c = Sha256.init () in
  for i = 0 to 9999 do Sha256.update_string c (string_of_int i) done;
  print_endline (Sha256.to_hex (Sha256.finalize c));
  let b = Bigstringaf.of_string ~off:0 ~len:11 "hello world" in
  Bigstringaf.blit b ~src_off:0 b ~dst_off:3 ~len:5;
  Printf.printf "%s %d %d\n" (Bigstringaf.to_string b) (Bigstringaf.memchr b 0 'w' 11) (Bigstringaf.memcmp b 0 b 3 3);
  (try ignore (Bigstringaf.sub b ~off:8 ~len:8) with Invalid_argument m -> print_endline m);
  Bigstringaf.set_int32_le b 0 0x41424344l;
  Printf.printf "%s %Lx\n" (Bigstringaf.substring b ~off:0 ~len:4) (Bigstringaf.get_int64_be b 2);
  let t = Cstruct.of_string "0123456789" in
  let u = Cstruct.sub t 2 5 in
  Cstruct.memset u 0x78;
  Cstruct.BE.set_uint16 t 0 0x4142;
  Printf.printf "%s %d %b\n" (Cstruct.to_string t) (Cstruct.length u) (Cstruct.equal u (Cstruct.of_string "xxxxx"));
  Cstruct.hexdump (Cstruct.append u t);
  let open Unsigned in
  Printf.printf "%s %s %d\n" UInt64.(to_string (sub zero one)) UInt32.(to_string (mul (of_int 70000) (of_int 70000)))
    (UInt64.compare UInt64.max_int UInt64.one);
  Printf.printf "%s\n" UInt8.(to_string (add (of_int 250) (of_int 10)));
  let all = List.init 1000 (fun i -> UInt64.of_int (i * i)) in
  Gc.full_major ();
  Printf.printf "%s\n" (UInt64.to_string (List.fold_left UInt64.add UInt64.zero all));
  Printf.printf "%d %d\n" (Base.String.hash "abc") (Base.Hash.run Base.Int.hash_fold_t 42);
  Printf.printf "%d %d %d\n" (Base.Int.popcount 0xff0f) (Base.Int.clz 1) (Base.Int64.ctz 8L);
  let table = Base.Hashtbl.create (module Base.String) in
  for i = 0 to 999 do Base.Hashtbl.set table ~key:(string_of_int (i mod 100)) ~data:i done;
  Printf.printf "%d %d\n" (Base.Hashtbl.length table) (Base.Hashtbl.find_exn table "7");
  print_endline (Base.Sexp.to_string (Base.List.sexp_of_t Base.Float.sexp_of_t [1.5; Base.Float.nan]));
  (try Base.Exn.protect ~f:(fun () -> failwith "inner") ~finally:(fun () -> print_endline "finally")
   with Failure m -> print_endline m)
