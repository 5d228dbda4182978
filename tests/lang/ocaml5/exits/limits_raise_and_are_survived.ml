(* flags: -g *)
(* Stacks, arrays, strings and bigarrays that are too large; what comes after. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let t n f = match f () with () -> p "%s ok" n | exception e -> p "%s: %s" n (Printexc.to_string e)
let rec f n = 1 + f (n + 1)
let rec even n = n = 0 || odd (n - 1) and odd n = n <> 0 && even (n - 1)
let rec build n = if n = 0 then [] else n :: build (n - 1)
let () =
  Gc.set { (Gc.get ()) with stack_limit = 100_000 }; t "overflow" (fun () -> ignore (f 0));
  t "again" (fun () -> ignore (f 0)); t "tail" (fun () -> ignore (even 1_000_000));
  t "build" (fun () -> ignore (build 10_000_000));
  t "map" (fun () -> ignore (List.length (List.map succ (List.init 1_000_000 Fun.id))));
  t "in try" (fun () -> try ignore (f 0) with Stack_overflow -> p "inner"; raise Exit);
  t "finally" (fun () -> Fun.protect ~finally:(fun () -> p "finally") (fun () -> ignore (f 0)));
  t "array" (fun () -> ignore (Array.make Sys.max_array_length 0));
  t "array2" (fun () -> ignore (Array.make (Sys.max_array_length + 1) 0));
  t "bytes" (fun () -> ignore (Bytes.create Sys.max_string_length));
  t "bytes2" (fun () -> ignore (Bytes.create (Sys.max_string_length + 1)));
  t "float" (fun () -> ignore (Array.create_float (Sys.max_floatarray_length)));
  t "bigarray" (fun () -> ignore (Bigarray.Array1.create Bigarray.float64 Bigarray.c_layout max_int));
  t "bigarray2" (fun () -> ignore (Bigarray.Array2.create Bigarray.float64 Bigarray.c_layout 0x4000000 0x40000000));
  t "concat" (fun () -> let s = String.make 1 'a' in ignore (String.concat "" [ s ]));
  t "buffer" (fun () -> let b = Buffer.create 1 in Buffer.add_string b "x"; ignore (Buffer.sub b 0 2));
  t "compare" (fun () -> let rec l = 1 :: l in ignore (Sys.opaque_identity (compare [1;2;3] (1 :: 2 :: 3 :: l))));
  t "hash" (fun () -> let rec l = 1 :: l in p "%d" (Hashtbl.hash l));
  t "repeat" (fun () -> ignore (String.concat (String.make 1000 'x') (List.init 10 (fun _ -> ""))));
  t "marshal deep" (fun () -> let rec mk n l = if n = 0 then l else mk (n - 1) (Some (Obj.repr l) |> Obj.repr) in let v = mk 1_000_000 (Obj.repr 0) in p "%d" (String.length (Marshal.to_string v [])));
  let r = ref 0 in (try let rec g () = incr r; ignore (g () : unit); incr r in g () with Stack_overflow -> p "%b" (!r > 1000))
