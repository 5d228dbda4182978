(* Memory: bounds, life, finalisers, strings, bigarrays; libraries and errno. *)
open Ffi
open Check

let f name fn = foreign ~lib name fn

let () =
  let p = allocate int 5 in
  same "a value" 5 !@p;
  p <-@ -6;
  f "store_int" (ptr int @-> int @-> returning void) p (!@p * 7);
  same "what C stored" (-42) !@p;
  same "known bytes" (Some 4) (known_bytes p);
  refuses "after the end" (fun () -> !@(p +@ 1));
  refuses "before the start" (fun () -> !@(p +@ -1));
  refuses "a wider type" (fun () -> !@(cast int64_t p));
  refuses "a value that doesn't fit" (fun () -> p <-@ max_int);
  refuses "null" (fun () -> !@(null int));
  refuses "almost null" (fun () -> !@(null int +@ 10));
  refuses "storing a string" (fun () -> allocate string "x");
  let a = allocate_n double 10 in
  same "zeroed" 0. !@(a +@ 9);
  let q = a +@ 3 in
  q <-@ 1.5;
  same "through another pointer" 1.5 !@(a +@ 3);
  same "distance" (3, -3) (distance a q, distance q a);
  same "order" (true, true) (ptr_compare a q < 0, ptr_equal q (a +@ 3));
  same "by its address" 1.5 !@(of_address double (address q));
  copy ~from:a ~into:(a +@ 1) 9;
  same "copied onto itself" 1.5 !@(a +@ 4);
  refuses "copied too far" (fun () -> copy ~from:a ~into:(a +@ 1) 10);
  free q;
  refuses "read after free" (fun () -> !@a);
  refuses "passed after free" (fun () -> f "same_pointer" (ptr double @-> returning (ptr double)) a);
  refuses "freed twice" (fun () -> free a);
  refuses "freeing C's memory" (fun () -> free (null int));
  refuses "a negative count" (fun () -> allocate_n int (-1));
  same "the same pointer" true
    (ptr_equal p (f "same_pointer" (ptr int @-> returning (ptr int)) p));
  let pp = allocate (ptr int) p in
  same "a pointer in memory" (-42) !@(!@pp);
  same "a variable of C" 7 !@(foreign_value ~lib "counter" int);
  foreign_value ~lib "counter" int <-@ 8;
  same "changed" 8 !@(foreign_value ~lib "counter" int);
  same "a string variable" "hello from C" !@(foreign_value ~lib "greeting" string)

(* ---- Strings. ---- *)

let () =
  let strlen = foreign "strlen" (string @-> returning size_t) in
  same "strings of all sizes" true
    (List.for_all (fun n -> strlen (String.make n 'x') = n) [0; 1; 7; 8; 255; 256; 300; 5000; 100000]);
  let sum = f "sum_bytes" (string @-> size_t @-> returning long) in
  same "zeros inside" 6 (sum "\001\000\002\000\003" 5);
  let cmp = foreign "strcmp" (string @-> string @-> returning int) in
  let s c = String.make 200 c in
  same "several strings" (true, true, 0) (cmp (s 'a') (s 'b') < 0, cmp (s 'b') (s 'a') > 0, cmp (s 'c') (s 'c'));
  let upper = f "upper" (bytes @-> returning void) in
  let small = Bytes.of_string "small" and large = Bytes.make 10_000 'x' in
  upper small;
  upper large;
  same "bytes that C changes" ("SMALL", Bytes.make 10_000 'X') (Bytes.to_string small, large);
  same "none" None (f "null_text" (void @-> returning string_opt) ());
  refuses "no string" (fun () -> f "null_text" (void @-> returning string) ());
  same "getenv" (Sys.getenv_opt "PATH") (foreign "getenv" (string @-> returning string_opt) "PATH");
  same "Some and None as arguments" true
    (foreign "setlocale" (int @-> string_opt @-> returning string_opt) 0 None <> None);
  let p = of_string "some text" in
  same "a block with a string" ("some text", "text") (string_at p, string_at (p +@ 5));
  same "with its zero" "t\000" (string_at ~length:2 (p +@ 8));
  refuses "a longer part" (fun () -> string_at ~length:3 (p +@ 8));
  write_string p "another one" 2 5;
  same "a part written" "othertext" (string_at p);
  refuses "more than fits" (fun () -> write_string p "another one" 0 11);
  let b = Bytes.make 4 '-' in
  read_bytes (p +@ 5) b 1 3;
  same "a part read" "-tex" (Bytes.to_string b);
  let unterminated = allocate_n char 4 in
  write_string unterminated "abcd" 0 4;
  refuses "no zero byte" (fun () -> string_at unterminated)

(* ---- Life. ---- *)

let count = ref 0

let () =
  let dies () = ignore (Sys.opaque_identity (allocate ~finalise:(fun p -> count := !count + !@p) int 5)) in
  dies ();
  Gc.full_major ();
  same "finalised" 5 !count;
  let p = allocate ~finalise:(fun _ -> incr count) int 5 in
  free p;
  Gc.full_major ();
  same "not when it was freed" 5 !count;
  let text () =
    let free_text = f "free_text" (ptr char @-> returning void) in
    own ~free:free_text ~bytes:15 (f "new_text" (void @-> returning (ptr char)) ()) in
  let freed = f "freed_texts" (void @-> returning int) in
  let p = ref (text ()) in
  same "C's memory" "allocated in C" (string_at !p);
  refuses "with bounds" (fun () -> string_at ~length:16 !p);
  refuses "not ours to free" (fun () -> free !p);
  Gc.full_major ();
  same "kept" 0 (freed ());
  let view = ref (bigarray !p Bigarray.char Bigarray.c_layout [| 15 |]) in
  p := null char;
  Gc.full_major ();
  Gc.full_major ();
  same "kept by a bigarray" (0, 'a') (freed (), Bigarray.Genarray.get !view [| 0 |]);
  view := Bigarray.Genarray.create Bigarray.char Bigarray.c_layout [| 1 |];
  Gc.full_major ();
  Gc.full_major ();
  Gc.full_major ();
  same "freed in the end" 1 (freed ())

let () =
  let p = allocate_n int32_t 6 in
  let matrix = bigarray p Bigarray.int32 Bigarray.c_layout [| 2; 3 |] in
  Bigarray.Genarray.set matrix [| 1; 2 |] 7l;
  same "a bigarray shows the memory" 7l !@(p +@ 5);
  let row = Bigarray.Genarray.slice_left matrix [| 1 |] in
  refuses "a larger bigarray" (fun () -> bigarray p Bigarray.int32 Bigarray.c_layout [| 7 |]);
  refuses "a negative dimension" (fun () -> bigarray p Bigarray.int32 Bigarray.c_layout [| -1 |]);
  free p;
  refuses "the pointer ended" (fun () -> !@p);
  Gc.full_major ();
  same "the bigarray did not" 7l (Bigarray.Genarray.get row [| 2 |]);
  let q = of_bigarray int32_t row in
  q <-@ 9l;
  same "a pointer to a bigarray" (9l, Some 12) (Bigarray.Genarray.get matrix [| 1; 0 |], known_bytes q);
  refuses "within its bounds" (fun () -> !@(q +@ 3));
  let q = of_bigarray uint8_t (Bigarray.Genarray.init Bigarray.int8_unsigned Bigarray.c_layout [| 300 |]
                                 (fun i -> i.(0) land 255)) in
  Gc.full_major ();
  churn ();
  same "it keeps the elements" (255 * 128 + (43 * 44 / 2))
    (f "sum_bytes" (ptr uint8_t @-> size_t @-> returning long) q 300);
  let blocks = List.init 1000 (fun i -> allocate int i) in
  Gc.full_major ();
  same "a thousand blocks" true (List.for_all2 (fun i p -> !@p = i) (List.init 1000 Fun.id) blocks)

(* ---- Libraries and errno. ---- *)

let () =
  refuses "no such library" (fun () -> open_library "libnone.so.0");
  refuses "no such symbol" (fun () -> foreign "no_such_function" (void @-> returning int));
  let library = open_library lib in
  let forty_two = foreign ~from:library "forty_two" (void @-> returning int) in
  same "by a handle" 42 (forty_two ());
  close_library library;
  refuses "closed" forty_two;
  refuses "closed: another function" (fun () ->
    foreign ~from:library "forty_two" (void @-> returning int));
  refuses "closed twice" (fun () -> close_library library);
  let fails = f "fail_with" (int @-> returning int) in
  same "errno" (-1, 2) (let r = fails 2 in (r, errno ()));
  same "its text" "No such file or directory" (error_message (errno ()));
  ignore (f "forty_two" (void @-> returning int) ());
  same "errno of a call that sets none" 0 (errno ());
  refuses "void in between" (fun () -> foreign "abs" (int @-> void @-> returning int));
  refuses "an array as argument" (fun () -> foreign "abs" (array 3 int @-> returning int));
  refuses "no argument type at all" (fun () -> (foreign "abs" (returning int) : int))
