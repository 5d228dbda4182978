(* The bytes of small values; sharing, cycles, closures, objects, bigarrays; positions and damaged data. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let t n f = match f () with s -> p "%s: %s" n s | exception e -> p "%s: %s" n (Printexc.to_string e)
let rt ?(f = []) v = Marshal.from_string (Marshal.to_string v f) 0
let hex s = let b = Buffer.create 10 in String.iter (fun c -> Buffer.add_string b (Printf.sprintf "%02x" (Char.code c))) s;
  Buffer.contents b
type rec_ = { mutable next : rec_ option; v : int } exception My of int
let () =
  List.iter (fun v -> p "%s" (hex (Marshal.to_string v []))) [ Obj.repr 0; Obj.repr (-1); Obj.repr 127; Obj.repr 128; Obj.repr (-129); Obj.repr 40000; Obj.repr 0x7fffffff; Obj.repr 0x3fffffffffffffff; Obj.repr "hi"; Obj.repr (String.make 40 'x'); Obj.repr 1.5; Obj.repr [| 1.; 2. |]; Obj.repr (1, 2); Obj.repr [ 1; 2 ]; Obj.repr 5L; Obj.repr 6l; Obj.repr 7n; Obj.repr [||]; Obj.repr (Some (Some 1)); Obj.repr `A; Obj.repr (Array.make 9 0); Obj.repr (Bytes.of_string "b") ];
  let s = "shared" in let a, b = rt (s, s) in p "%b" (a == b);
  let a, b = rt ~f:[ No_sharing ] (s, s) in p "%b" (a == b); let rec c = { next = Some c; v = 5 } in
  let c' = rt c in p "%b" (match c'.next with Some x -> x == c' | None -> false);
  let f = rt ~f:[ Closures ] (fun x -> x + c.v) in p "%d" (f 1);
  t "closure" (fun () -> string_of_int (rt (fun x -> x) 1));
  t "abstract" (fun () -> rt (Obj.new_block Obj.abstract_tag 1); "?");
  t "channel" (fun () -> ignore (rt stdin); "?");
  t "exn" (fun () -> match rt (My 3) with My _ -> "same" | _ -> "other");
  t "exn2" (fun () -> Printexc.to_string (rt (My 3)));
  let o = rt ~f:[ Closures ] (object (self) val x = 3 method m = x + 1 end) in p "%d" o#m;
  let ba = Bigarray.Array2.of_array Bigarray.float32 Bigarray.fortran_layout [| [| 1.; 2. |]; [| 3.; 4. |] |] in
  let ba' = rt ba in p "%b %g" (ba = ba') ba'.{2, 1};
  let l = lazy (1 + 1) in t "lazy" (fun () -> ignore (rt l); "?"); ignore (Lazy.force l);
  t "lazy2" (fun () -> string_of_int (Lazy.force (rt l))); let h = Hashtbl.create 3 in Hashtbl.add h 1 "one";
  p "%s" (Hashtbl.find (rt h) 1); t "mutex" (fun () -> ignore (rt (Mutex.create ())); "?");
  t "weak" (fun () -> ignore (rt (Weak.create 2 : int ref Weak.t)); "ok");
  t "atomic" (fun () -> string_of_int (Atomic.get (rt (Atomic.make 3))));
  let s = Marshal.to_bytes [ 1; 2; 3 ] [] in p "%d %d %d" Marshal.header_size (Marshal.data_size s 0) (Marshal.total_size s 0);
  t "trunc" (fun () -> Marshal.from_bytes (Bytes.sub s 0 (Bytes.length s - 1)) 0);
  t "short" (fun () -> Marshal.from_bytes (Bytes.create 3) 0);
  t "magic" (fun () -> Marshal.from_bytes (Bytes.make 30 'x') 0);
  t "neg" (fun () -> Marshal.from_bytes s (-1));
  t "buf" (fun () -> string_of_int (Marshal.to_buffer (Bytes.create 100) 10 50 "x" []));
  t "buf2" (fun () -> string_of_int (Marshal.to_buffer (Bytes.create 10) 0 5 "long string here" []));
  t "buf3" (fun () -> string_of_int (Marshal.to_buffer (Bytes.create 10) 8 5 "x" []));
  Out_channel.with_open_bin "m" (fun oc -> Marshal.to_channel oc 1 []; Marshal.to_channel oc "two" []; Marshal.to_channel oc [| 3. |] []; output_string oc "junk");
  In_channel.with_open_bin "m" (fun ic -> p "%d" (Marshal.from_channel ic); p "%s" (Marshal.from_channel ic); p "%g" (Marshal.from_channel ic).(0); t "junk" (fun () -> Marshal.from_channel ic));
  In_channel.with_open_bin "/dev/null" (fun ic -> t "empty" (fun () -> Marshal.from_channel ic));
  let big = List.init 100_000 (fun i -> (i, string_of_int i, float i)) in p "%b %d" (rt big = big) (String.length (Marshal.to_string big []));
  t "compat32" (fun () -> hex (Marshal.to_string (1 lsl 40) [ Compat_32 ]));
  t "compat32b" (fun () -> hex (Marshal.to_string (1 lsl 20) [ Compat_32 ])); let m = Mutex.create () in
  let g = rt ~f:[ Closures ] (List.map (fun k -> fun x -> x * k) [ 1; 2; 3 ]) in p "%d" (List.fold_left (fun a f -> f a) 1 g);
  let rec ev n = n = 0 || od (n - 1) and od n = n <> 0 && ev (n - 1) in
  let e, o = rt ~f:[ Closures ] (ev, od) in p "%b %b" (e 10) (o 10)
