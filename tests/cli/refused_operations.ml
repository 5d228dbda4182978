(* What the real machine would do without a test, and perhaps die of: here each is an exception. *)
external array_unsafe_get : 'a array -> int -> 'b = "caml_array_unsafe_get"
external array_unsafe_set : 'a array -> int -> 'b -> unit = "caml_array_unsafe_set"
external array_sub : 'a array -> int -> int -> 'a array = "caml_array_sub"
external array_append : 'a -> 'b -> 'c = "caml_array_append"
external array_concat : 'a -> 'b = "caml_array_concat"
external array_blit : 'a -> int -> 'b -> int -> int -> unit = "caml_array_blit"
external array_fill : 'a -> int -> int -> 'b -> unit = "caml_array_fill"
external array_set : 'a -> int -> 'b -> unit = "caml_array_set"
external floatarray_unsafe_get : 'a -> int -> float = "caml_floatarray_unsafe_get"
external floatarray_unsafe_set : 'a -> int -> 'b -> unit = "caml_floatarray_unsafe_set"
external floatarray_blit : 'a -> int -> 'b -> int -> int -> unit = "caml_floatarray_blit"
external make_array : 'a -> 'b = "caml_make_array"
external blit_bytes : bytes -> int -> bytes -> int -> int -> unit = "caml_blit_bytes"
external fill_bytes : bytes -> int -> int -> char -> unit = "caml_fill_bytes"
external update_dummy : 'a -> 'b -> unit = "caml_update_dummy"
external alloc_dummy : int -> Obj.t = "caml_alloc_dummy"
external alloc_dummy_float : int -> Obj.t = "caml_alloc_dummy_float"
external alloc_dummy_infix : int -> int -> Obj.t = "caml_alloc_dummy_infix"
external int_as_pointer : int -> Obj.t = "caml_int_as_pointer"
external format_int : string -> int -> string = "caml_format_int"
external format_float : string -> float -> string = "caml_format_float"
external make_forward : 'a -> 'b -> unit = "caml_obj_make_forward"
external set_oo_id : 'a -> 'a = "caml_set_oo_id"
external get_public_method : 'a -> 'b -> int = "caml_get_public_method"
external string_length : 'a -> int = "caml_ml_string_length"
external add_float : 'a -> 'b -> float = "caml_add_float"
external int32_add : 'a -> 'b -> int32 = "caml_int32_add"

(* Without the number of an instruction at the end of a message. *)
let without_pc text =
  let digit c = c >= '0' && c <= '9' in
  match String.rindex_opt text ' ' with
  | Some i when i < String.length text - 1 && digit text.[i + 1] -> String.sub text 0 i
  | _ -> text
let attempt name f =
  let result = match f () with () -> "done" | exception e -> without_pc (Printexc.to_string e) in
  Printf.printf "%s: %s\n%!" name result

let repr = Obj.repr
let k = Random.int 1
let closure = fun x -> x + k
let inner = let rec even n = n = 0 || odd (n - 1) and odd n = n <> 0 && even (n - k - 1) in odd
let floats = Array.make 5 1.5
let ints = Array.init 5 Fun.id
let text = Bytes.to_string (Bytes.make 3 'x')
let long = Int64.of_string "5"
let weak = let w = Weak.create 1 in Weak.set w 0 (Some ints); w
type complex = { mutable re : float; mutable im : float }

let () =
  attempt "unsafe_get" (fun () -> ignore (array_unsafe_get ints 5));
  attempt "unsafe_get negative" (fun () -> ignore (array_unsafe_get ints (-1)));
  attempt "unsafe_get of a string" (fun () -> ignore (array_unsafe_get (Obj.magic "abc") 0));
  attempt "unsafe_get beyond a string" (fun () -> ignore (array_unsafe_get (Obj.magic "abc") 1));
  attempt "unsafe_get of a weak array" (fun () -> ignore (array_unsafe_get (Obj.magic weak) 2));
  attempt "pattern beyond a string" (fun () -> ignore (Sys.opaque_identity (let _, b = Obj.magic text in b)));
  attempt "pattern of a weak array" (fun () -> ignore (Sys.opaque_identity (let _, _, c = Obj.magic weak in c)));
  attempt "field of an int" (fun () -> ignore (Sys.opaque_identity (fst (Obj.magic (Sys.opaque_identity 3)))));
  attempt "float beyond a string" (fun () -> ignore ((Obj.magic text : complex).im));
  attempt "unsafe_set of an int64" (fun () -> array_unsafe_set (Obj.magic long) 0 1);
  attempt "unsafe_set of a string's length" (fun () -> array_unsafe_set (Obj.magic text) 0 (-1));
  attempt "unsafe_set of a string to a block" (fun () -> array_unsafe_set (Obj.magic text) 0 text);
  attempt "assignment to an int64" (fun () -> (Obj.magic long : int ref) := 1);
  attempt "assignment of a string's length" (fun () -> (Obj.magic text : int ref) := -1);
  attempt "incr of a weak array" (fun () -> incr (Obj.magic weak));
  attempt "decr of a string's length" (fun () -> decr (Obj.magic "\001\000\000\000\000\000\000"));
  attempt "float into an array" (fun () -> (Obj.magic ints : complex).re <- 1.);
  attempt "int into a float" (fun () -> (Obj.magic floats : complex).re <- Obj.magic (Sys.opaque_identity 3));
  attempt "byte of a string's length" (fun () -> Bytes.unsafe_set (Obj.magic text) 7 '\008');
  attempt "byte beyond a string" (fun () -> ignore (String.unsafe_get text 8));
  attempt "byte before a string" (fun () -> ignore (String.unsafe_get text (-1)));
  attempt "byte of an array" (fun () -> Bytes.unsafe_set (Obj.magic ints) 0 'x');
  attempt "set byte of an array" (fun () -> Bytes.set (Obj.magic ints) 0 'x');
  attempt "set int64 of an int64" (fun () -> Bytes.set_int64_le (Obj.magic long) 0 1L);
  attempt "int64 beyond a float" (fun () -> ignore (String.get_int64_le (Obj.magic (Array.get floats 0)) 1));
  attempt "length of an atom" (fun () -> ignore (string_length [||]));
  attempt "blit of a string's length" (fun () -> blit_bytes (Bytes.make 8 '\255') 0 (Obj.magic text) 0 8);
  attempt "blit into an array" (fun () -> blit_bytes (Bytes.make 8 'x') 0 (Obj.magic ints) 0 8);
  attempt "fill of an array" (fun () -> fill_bytes (Obj.magic ints) 0 8 'x');
  attempt "part of an address" (fun () -> fill_bytes (Obj.magic [| text |]) 2 1 'y');
  attempt "byte of an address" (fun () -> Bytes.unsafe_set (Obj.magic [| text |]) 0 '\008');
  attempt "an address in bytes" (fun () -> Bytes.set_int64_ne (Obj.magic ints) 8 0x7f0012345678L);
  attempt "bytes beyond an array" (fun () -> fill_bytes (Obj.magic ints) 32 9 'y');
  attempt "bytes of a closure" (fun () -> fill_bytes (Obj.magic closure) 0 8 'y');
  attempt "bytes of a channel" (fun () -> fill_bytes (Obj.magic stdout) 8 8 'y');
  attempt "comparison beyond a float" (fun () ->
    ignore (String.compare (Obj.magic (Array.get floats 0)) (Obj.magic (Array.get floats 1))));
  attempt "unsafe_get of an int" (fun () -> ignore (array_unsafe_get (Obj.magic 3) 0));
  attempt "unsafe_set" (fun () -> array_unsafe_set ints 5 1);
  attempt "unsafe_set of a float array" (fun () -> array_unsafe_set floats 0 "x");
  attempt "unsafe_set of a closure" (fun () -> array_unsafe_set (Obj.magic closure) 0 1);
  attempt "set of a float array" (fun () -> array_set floats 0 3);
  attempt "sub" (fun () -> ignore (array_sub ints 3 3));
  attempt "sub negative" (fun () -> ignore (array_sub ints 3 (-1)));
  attempt "append" (fun () -> ignore (array_append ints floats));
  attempt "append empty" (fun () -> ignore (array_append [||] floats));
  attempt "concat" (fun () -> ignore (array_concat [ Obj.repr ints; Obj.repr floats ]));
  attempt "concat no list" (fun () -> ignore (array_concat "abc"));
  attempt "concat no arrays" (fun () -> ignore (array_concat [ 1; 2 ]));
  attempt "concat int" (fun () -> ignore (array_concat 5));
  attempt "blit" (fun () -> array_blit ints 0 ints 3 3);
  attempt "blit of values to floats" (fun () -> array_blit (repr [| "a" |]) 0 floats 0 1);
  attempt "blit to an int64" (fun () -> array_blit ints 0 (repr 1L) 0 1);
  attempt "blit closure" (fun () -> array_blit ints 0 closure 0 1);
  attempt "fill" (fun () -> array_fill ints (-1) 2 0);
  attempt "fill floats" (fun () -> array_fill floats 0 2 0);
  attempt "fill closure" (fun () -> array_fill closure 0 2 0);
  attempt "floatarray get" (fun () -> ignore (floatarray_unsafe_get floats 5));
  attempt "floatarray get of ints" (fun () -> ignore (floatarray_unsafe_get ints 0));
  attempt "floatarray set" (fun () -> floatarray_unsafe_set floats 5 1.);
  attempt "floatarray set int" (fun () -> floatarray_unsafe_set floats 0 1);
  attempt "floatarray blit" (fun () -> floatarray_blit floats 0 floats 4 2);
  attempt "make_array" (fun () -> ignore (make_array (repr (1.5, 2, 2.5))));
  attempt "blit bytes" (fun () -> blit_bytes (Bytes.create 4) 0 (Bytes.create 9) 0 5);
  attempt "blit bytes negative" (fun () -> blit_bytes (Bytes.create 4) 0 (Bytes.create 9) (-1) 1);
  attempt "fill bytes" (fun () -> fill_bytes (Bytes.create 4) 1 4 'x');
  attempt "string_length of an int" (fun () -> ignore (string_length 3));
  attempt "add_float" (fun () -> ignore (add_float 1.5 (repr 1)));
  attempt "int32_add" (fun () -> ignore (int32_add 1l (repr 1.5)));
  attempt "update_dummy small" (fun () -> update_dummy (alloc_dummy 1) (1, 2));
  attempt "update_dummy floats" (fun () -> update_dummy (alloc_dummy 5) floats);
  attempt "update_dummy string" (fun () -> update_dummy (alloc_dummy 5) "abc");
  attempt "update_dummy float" (fun () -> update_dummy (alloc_dummy_float 5) (1, 2));
  attempt "update_dummy infix" (fun () -> update_dummy (alloc_dummy_infix 9 3) closure);
  attempt "update_dummy infix, right" (fun () -> update_dummy (alloc_dummy_infix 9 3) inner);
  attempt "update_dummy closure by block" (fun () -> update_dummy (repr closure) (1, 2));
  attempt "alloc_dummy_infix" (fun () -> ignore (alloc_dummy_infix 9 2));
  attempt "alloc_dummy negative" (fun () -> ignore (alloc_dummy (-1)));
  attempt "int_as_pointer" (fun () -> ignore (int_as_pointer 0));
  List.iter (fun f -> attempt f (fun () -> print_string (format_int f 5)))
    [ "%s"; "%n"; "%d%d"; "%*d"; "%hhd"; "%"; "d"; ""; "%5"; "%.d"; "%lld"; "% +-0#12.5lx"; "%c"; "%p" ];
  List.iter (fun f -> attempt f (fun () -> print_string (format_float f 5.)))
    [ "%s"; "%n"; "%f%f"; "%*f"; "%Lf"; "%"; "%%%.1f%%"; "%5"; "%d"; "%.1f%n"; "%1$f" ];
  attempt "set_tag string" (fun () -> Obj.set_tag (repr (ref 1)) Obj.string_tag);
  attempt "set_tag closure" (fun () -> Obj.set_tag (repr (ref 1)) Obj.closure_tag);
  attempt "set_tag infix" (fun () -> Obj.set_tag (repr (ref 1)) Obj.infix_tag);
  attempt "set_tag of a closure" (fun () -> Obj.set_tag (repr closure) 0);
  attempt "set_tag of a string" (fun () -> Obj.set_tag (repr (String.make 9 'x')) 0);
  attempt "set_tag 999" (fun () -> Obj.set_tag (repr (ref 1)) 999);
  attempt "set_tag object" (fun () -> Obj.set_tag (repr (ref 1)) Obj.object_tag);
  attempt "with_tag string" (fun () -> ignore (Obj.with_tag Obj.string_tag (repr (1, 2))));
  attempt "with_tag closure" (fun () -> ignore (Obj.with_tag Obj.closure_tag (repr (1, 2))));
  attempt "with_tag custom" (fun () -> ignore (Obj.with_tag Obj.custom_tag (repr "abc")));
  attempt "with_tag of a string" (fun () -> ignore (Obj.with_tag 0 (repr "abc")));
  attempt "dup infix" (fun () -> ignore (Obj.dup (repr inner)));
  attempt "dup channel" (fun () -> ignore (Obj.dup (repr stdout)));
  attempt "dup int64" (fun () -> ignore (Obj.dup (repr 5L)));
  attempt "truncate string" (fun () -> Obj.truncate (repr (String.make 30 'x')) 1);
  attempt "truncate closure" (fun () -> Obj.truncate (repr closure) 1);
  attempt "truncate infix" (fun () -> Obj.truncate (repr inner) 1);
  attempt "seek in a closed channel" (fun () ->
    let ic = open_in_bin "refused.ml" in
    ignore (input_char ic);
    close_in ic;
    seek_in ic 0);
  attempt "a negative marshal flag" (fun () ->
    ignore (Marshal.to_string closure [Obj.magic (-31)]));
  attempt "new_block infix" (fun () -> ignore (Obj.new_block Obj.infix_tag 3));
  attempt "new_block 300" (fun () -> ignore (Obj.new_block 300 3));
  attempt "new_block -1" (fun () -> ignore (Obj.new_block (-1) 3));
  attempt "new_block float of 2" (fun () -> ignore (Obj.new_block Obj.double_tag 2));
  attempt "new_block float of 0" (fun () -> ignore (Obj.new_block Obj.double_tag 0));
  attempt "new_block float of 300" (fun () -> ignore (Obj.new_block Obj.double_tag 300));
  attempt "raw_field" (fun () -> ignore (Obj.raw_field (repr (1, 2)) 2));
  attempt "set_raw_field pointer" (fun () -> Obj.set_raw_field (repr (ref 1)) 0 16n);
  attempt "set_raw_field beyond" (fun () -> Obj.set_raw_field (repr (ref 1)) 1 1n);
  attempt "set_raw_field code" (fun () -> Obj.set_raw_field (repr closure) 0 0x7ffffffn);
  attempt "set_raw_field code 0" (fun () -> Obj.set_raw_field (repr closure) 0 1n);
  attempt "set_raw_field closinfo" (fun () -> Obj.set_raw_field (repr closure) 1 1n);
  attempt "set_raw_field shape" (fun () -> Obj.set_raw_field (repr (fun x -> x)) 0 (Obj.raw_field (repr inner) 0));
  attempt "set_raw_field partial" (fun () -> Obj.set_raw_field (repr closure) 0 (Obj.raw_field (repr (List.map closure)) 0));
  attempt "set_raw_field string" (fun () -> Obj.set_raw_field (repr (String.make 9 'x')) 1 (-1n));
  attempt "set_raw_field custom" (fun () -> Obj.set_raw_field (repr 5L) 0 1n);
  attempt "add_offset" (fun () -> ignore (Obj.add_offset (repr (1, 2)) 8l));
  attempt "add_offset closure" (fun () -> ignore (Obj.add_offset (repr closure) 24l));
  attempt "add_offset infix" (fun () -> ignore (Obj.add_offset (repr inner) (-24l)));
  attempt "make_forward string" (fun () -> make_forward "abc" 1);
  attempt "make_forward atom" (fun () -> make_forward [||] 1);
  attempt "set_oo_id" (fun () -> ignore (set_oo_id (ref 1)));
  attempt "get_public_method" (fun () -> ignore (get_public_method (ref 1) 5));
  attempt "get_public_method of a string" (fun () -> ignore (get_public_method "abc" 5));
  attempt "get_public_method of an int" (fun () -> ignore (get_public_method 3 5));
  Gc.full_major ()

(* A float as a number's text: the text is the bytes that its last byte, as of a string, leaves. A
   digit after them is an error of int_of_string, as in ocamlrun; there a negative length is one of
   the memory's. *)
let () =
  let text bytes = (Obj.magic (Int64.float_of_bits (String.get_int64_le bytes 0)) : string) in
  let read = text "123\000\000\000\000\004" and negative = text "12345678" in
  Printf.printf "int_of_string: %d\n" (int_of_string read);
  Printf.printf "Int64.of_string: %Ld\n" (Int64.of_string read);
  Printf.printf "float_of_string: %g\n%!" (float_of_string read);
  attempt "int_of_string before a digit" (fun () ->
      ignore (int_of_string (text "1234\000\000\000\004")));
  attempt "int_of_string of a negative length" (fun () -> ignore (int_of_string negative));
  attempt "float_of_string of a negative length" (fun () -> ignore (float_of_string negative))
