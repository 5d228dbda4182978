(* Bytes and words may be written into blocks of values, and arrays of two kinds be joined: what
   matters is that each access stays within its block. *)
external append : 'a -> 'b -> 'c = "caml_array_append"
external concat : 'a -> 'b = "caml_array_concat"
external sub : 'a -> int -> int -> 'b = "caml_array_sub"
external fill : 'a -> int -> int -> 'b -> unit = "caml_array_fill"
external set : 'a -> int -> 'b -> unit = "caml_array_set"
external make_array : 'a -> 'b = "caml_make_array"
let o = Obj.repr
let new_float x = float_of_string (Printf.sprintf "%h" x)
let attempt name f = Printf.printf "%s: %s\n%!" name (try f () with e -> "EXN " ^ Printexc.to_string e)
let word v = if Obj.is_int (o v) then string_of_int (Obj.magic v) else "even"
let words a = String.concat " " (List.init (Obj.size (o a)) (fun i -> word (Obj.field (o a) i)))
let as_s v : string = Obj.magic v
let as_b v : bytes = Obj.magic v
let pi () = new_float 3.141592653589793
let ints () = Array.init 3 (fun i -> i + 10)
let bits x = Printf.sprintf "%Lx" (Int64.bits_of_float x)
let () =
  attempt "set byte" (fun () -> let a = ints () in Bytes.unsafe_set (as_b a) 1 '\002'; words a);
  attempt "set low byte odd" (fun () -> let a = ints () in Bytes.unsafe_set (as_b a) 0 '\003'; words a);
  attempt "Bytes.set" (fun () -> let a = ints () in Bytes.set (as_b a) 9 '\007'; words a);
  attempt "set int16" (fun () -> let a = ints () in Bytes.set_uint16_le (as_b a) 8 0x101; words a);
  attempt "set int32" (fun () -> let a = ints () in Bytes.set_int32_le (as_b a) 8 0x1235l; words a);
  attempt "set int64" (fun () -> let a = ints () in Bytes.set_int64_le (as_b a) 8 0x12345L; words a);
  attempt "set int64 across" (fun () -> let a = ints () in Bytes.set_int64_le (as_b a) 4 0x12300000000L; words a);
  attempt "blit in" (fun () -> let a = ints () in Bytes.unsafe_blit (Bytes.make 8 'a') 0 (as_b a) 8 8; words a);
  attempt "blit part" (fun () -> let a = ints () in Bytes.unsafe_blit (Bytes.make 8 'b') 0 (as_b a) 9 3; words a);
  attempt "blit within" (fun () -> let a = ints () in Bytes.unsafe_blit (as_b a) 0 (as_b a) 8 16; words a);
  attempt "blit within back" (fun () -> let a = ints () in Bytes.unsafe_blit (as_b a) 8 (as_b a) 0 16; words a);
  attempt "fill in" (fun () -> let a = ints () in Bytes.unsafe_fill (as_b a) 0 16 'c'; words a);
  attempt "fill part" (fun () -> let a = ints () in Bytes.unsafe_fill (as_b a) 2 3 'd'; words a);
  attempt "pointer to int" (fun () -> let a = [| ref 1; ref 2 |] in Bytes.unsafe_fill (as_b a) 0 8 '\255'; word (Obj.field (o a) 0));
  attempt "double in" (fun () -> let a = ints () in Obj.set_double_field (o a) 1 (Float.succ 1.); words a);
  attempt "int64 data" (fun () -> let x = Int64.of_string "5" in Bytes.set_int64_le (as_b x) 8 77L; Int64.to_string x);
  attempt "int64 byte" (fun () -> let x = Int64.of_string "5" in Bytes.unsafe_set (as_b x) 9 '\001'; Int64.to_string x);
  attempt "int64 word" (fun () -> let x = Int64.of_string "5" in set (Obj.magic x) 1 21; Int64.to_string x);
  attempt "int64 set_field" (fun () -> let x = Int64.of_string "5" in Obj.set_field (o x) 1 (o 21); Int64.to_string x);
  attempt "nativeint blit" (fun () -> let x = Nativeint.of_string "5" in Bytes.unsafe_blit (Bytes.make 8 '\001') 0 (as_b x) 8 8; Nativeint.to_string x);
  attempt "int32 byte" (fun () -> let x = Int32.of_string "5" in Bytes.unsafe_set (as_b x) 9 '\001'; Int32.to_string x);
  attempt "length" (fun () -> string_of_int (String.length (as_s (pi ()))));
  attempt "equal" (fun () -> string_of_bool (String.equal (as_s (pi ())) (as_s (pi ()))));
  attempt "equal not" (fun () -> string_of_bool (String.equal (as_s (pi ())) "abcdefg"));
  attempt "(=) strings" (fun () -> string_of_bool ((as_s (pi ()) : string) = "abc"));
  attempt "(<>) strings" (fun () -> string_of_bool ((as_s (pi ()) : string) <> as_s (new_float 2.)));
  attempt "compare" (fun () -> string_of_int (compare (as_s (pi ()) : string) "abc"));
  attempt "compare 2" (fun () -> string_of_int (String.compare (as_s (pi ())) (as_s (new_float 2.5))));
  attempt "less" (fun () -> string_of_bool ((as_s (pi ()) : string) < "abc"));
  attempt "output" (fun () -> output stdout (as_b (pi ())) 0 0; "ok");
  attempt "get 7" (fun () -> string_of_int (Char.code (as_s (pi ())).[7]));
  attempt "sub" (fun () -> String.escaped (String.sub (as_s (pi ())) 0 8));
  attempt "bytes to string" (fun () -> Bytes.to_string (as_b (pi ())));
  attempt "concat strings" (fun () -> as_s (pi ()) ^ "a");
  attempt "digest sub" (fun () -> Digest.to_hex (Digest.substring (as_s (pi ())) 0 8));
  attempt "append" (fun () -> words (append (ints ()) [| 1.5 |]));
  attempt "append 2" (fun () -> words (append [| 1.5 |] (ints ())));
  attempt "append tag" (fun () -> string_of_int (Obj.tag (o (append (ints ()) [| 1.5 |]))));
  attempt "append strings" (fun () -> words (append "abcdefgh" (ints ())));
  attempt "concat" (fun () -> let a = concat [ o (ints ()); o [| 1.5; Float.succ 2. |]; o [||]; o [| 3 |] ] in words a ^ " " ^ string_of_int (Obj.tag (o a)));
  attempt "concat strings" (fun () -> words (concat [ o "abc"; o [| 1 |] ]));
  attempt "concat float" (fun () -> words (concat [ o (pi ()); o [| 1 |] ]));
  attempt "sub of string" (fun () -> words (sub "abcdefg" 0 1));
  attempt "fill floats block" (fun () -> let a = [| 1.; 2. |] in fill a 0 1 "abcdefg"; bits a.(0));
  attempt "set floats block" (fun () -> let a = [| 1.; 2. |] in set a 0 "abcdefg"; bits a.(0));
  attempt "set floats int64" (fun () -> let a = [| 1.; 2. |] in set a 0 (5, 6); bits a.(0));
  attempt "make_array" (fun () -> let a = make_array (o (pi (), (20, 30), "abcdefg")) in words a);
  attempt "make_array 2" (fun () -> let a = make_array (o (pi (), "abcdefg")) in bits (Obj.magic a : float array).(1))
let () = attempt "collection" (fun () -> Gc.full_major (); "done")
