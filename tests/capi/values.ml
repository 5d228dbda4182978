(* Values that stubs make, keep and look at. *)
external alloc : int -> int -> Obj.t = "t_alloc"
external alloc_small : string -> string -> Obj.t = "t_alloc_small"
external list : int -> string list = "t_list"
external alloc_shr : int -> string -> string array = "t_alloc_shr"
external tuple : string -> string * string option * int = "t_tuple"
external strings : unit -> string * string * string * string array * string array = "t_strings"
external numbers : unit -> float * int32 * int64 * nativeint * float array = "t_numbers"
external empty : unit -> bool * bool * int * int = "t_empty"
external inline_alloc : string -> Obj.t * string = "t_inline"
external flags : int list -> int = "t_flags"
external store : string option array -> int -> string -> unit = "t_store"
external roots_set : string list -> unit = "t_roots_set"
external roots_change : unit -> unit = "t_roots_change"
external roots_get : unit -> string list * string * float * string = "t_roots_get"
external roots_remove : unit -> unit = "t_roots_remove"
external hook_set : unit -> unit = "t_hook_set"
external hook_get : int -> string = "t_hook_get"
external hook_remove : unit -> unit = "t_hook_remove"
external naked : string -> string -> Obj.t = "t_naked"
external naked_get : Obj.t -> int = "t_naked_get"
external six : int -> int -> int -> int -> int -> int -> int option array
  = "t_six_bytecode" "t_six_native"
external stat : unit -> string = "t_stat"
external speed : unit -> unit = "t_speed"
type counter
external counter : int -> counter = "t_counter"
external counter_mem : int -> int -> counter = "t_counter_mem"
external counter_get : counter -> int = "t_counter_get"
external finalised : unit -> int = "t_finalised"
type final
external final : int -> final = "t_final"
external final_calls : unit -> int = "t_final_calls"
external string_length : string -> int = "t_string_length"
external array : 'a array -> int = "t_array"
external hash_variant : string -> int = "t_hash_variant"
external hash : string -> int = "t_hash"
external generic : 'a -> 'a -> int * bool * bool * int * bool = "t_generic"
external md5 : unit -> string = "t_digest"
open Bigarray
external ba_static : unit -> (float, float64_elt, c_layout) Array2.t = "t_ba_static"
external ba_new : int -> (int32, int32_elt, fortran_layout) Array1.t = "t_ba_new"
external ba_reshape : ('a, 'b, 'c) Genarray.t -> int array -> ('a, 'b, 'c) Genarray.t
  = "t_ba_reshape"
external is_young : 'a -> bool = "t_is_young"
external ba_sizes : ('a, 'b, 'c) Genarray.t -> int = "t_ba_sizes"
external ba_own : ('a, 'b, 'c) Genarray.t -> ('a, 'b, 'c) Genarray.t = "t_ba_own"
external ba_own_register : unit -> unit = "t_ba_own_register"
external ba_own_finalised : unit -> bool = "t_ba_own_finalised"
external ba_ops : unit -> (char, int8_unsigned_elt, c_layout) Array1.t = "t_ba_ops"

let say fmt = Printf.printf (fmt ^^ "\n%!")
let garbage () = for i = 1 to 200 do ignore (Sys.opaque_identity (string_of_int i)) done

let allocation () =
  let a = alloc 5 0 in
  garbage ();
  for i = 0 to 4 do say "%g" (Obj.obj (Obj.field a i)) done;
  say "%d" (Obj.size (alloc 300 0));
  let b = alloc_small "a" "b" in
  garbage ();
  say "%d %s %s" (Obj.tag b) (Obj.obj (Obj.field b 0)) (Obj.obj (Obj.field b 1));
  say "%s" (String.concat " " (list 40));
  let c = alloc_shr 500 (String.make 3 'x') in
  garbage ();
  say "%d %s" (Array.length c) c.(499);
  let x, y, z = tuple "t" in
  say "%s %s %d" x (Option.get y) z;
  let s, t, u, v, w = strings () in
  say "%S %S %S %s %s" s t u (String.concat "," (Array.to_list v))
    (String.concat "," (Array.to_list w));
  let f, i, l, n, fs = numbers () in
  say "%g %ld %Ld %nd %g %g" f i l n fs.(1) fs.(2);
  let p, q, r, k = empty () in
  say "%b %b %d %d" p q r k;
  let o, e = inline_alloc "inline" in
  garbage ();
  say "%d %s %s" (Obj.tag o) (Obj.obj (Obj.field o 0)) e;
  say "%d" (flags [ 0; 2; 3 ]);
  speed ();
  say "%s" (stat ())

let roots () =
  let a = Array.make 400 None in
  Gc.minor ();
  for i = 0 to 399 do store a i (string_of_int i) done;
  garbage ();
  say "%d" (Array.fold_left (fun sum s -> sum + int_of_string (Option.get s)) 0 a);
  roots_set (List.init 5 string_of_int);
  garbage ();
  Gc.full_major ();
  let show () =
    let l, s, f, g = roots_get () in
    say "%s %s %g %s" (String.concat "," l) s f g in
  show ();
  roots_change ();
  garbage ();
  show ();
  Gc.compact ();
  show ();
  roots_remove ();
  hook_set ();
  garbage ();
  Gc.full_major ();
  for i = 0 to 3 do say "%s" (hook_get i) done;
  hook_remove ();
  let n = naked "first" "second" in
  garbage ();
  Gc.full_major ();
  say "%d %s %s" (naked_get n) (Obj.obj (Obj.field n 1)) (Obj.obj (Obj.field n 2));
  let a = six 1 2 3 4 5 6 in
  say "%d" (Array.fold_left (fun s x -> s + Option.get x) 0 a)

let customs () =
  let a = counter 3 and b = counter 4 and c = counter_mem 4 100000 and nan = counter (-1) in
  say "%d %d %b %b" (compare a b) (compare b a) (b = c) (a < b);
  say "%b %b %b %b %d" (nan = nan) (nan < a) (nan > a) (nan <> a) (compare nan a);
  say "%d %d" (compare (Obj.magic 3 : counter) b) (compare b (Obj.magic 3 : counter));
  say "%d %b" (Hashtbl.hash a) (Hashtbl.hash b = Hashtbl.hash c);
  (try ignore (Marshal.to_string a []) with Invalid_argument m -> say "%s" m);
  say "%d" (counter_get a + counter_get b + counter_get c);
  for i = 1 to 1000 do ignore (Sys.opaque_identity (counter 1)) done;
  for i = 1 to 100 do ignore (Sys.opaque_identity (counter_mem 1 1000000)) done;
  for i = 1 to 10 do ignore (Sys.opaque_identity (final i)) done;
  Gc.full_major ();
  Gc.full_major ();
  say "%d %d" (finalised ()) (final_calls ());
  say "%d" (counter_get (Sys.opaque_identity nan))

let texts () =
  say "%d %d %d" (string_length "hello") (string_length "a\000b") (string_length "");
  say "%d %d %d" (array [| 1; 2 |]) (array [| 1.; 2.; 3. |]) (array [||]);
  say "%d %d %d" (hash_variant "A") (hash_variant "Something_longer") (hash_variant "");
  say "%b" (hash_variant "Foo" = (Obj.magic `Foo : int));
  say "%d %s" (hash "text") (Digest.to_hex (md5 ()));
  let order, same, differ, number, copied = generic (1, "a") (1, "b") in
  say "%d %b %b %b %b" order same differ (number = Hashtbl.seeded_hash_param 10 100 3 (1, "a")) copied;
  (match generic (Fun.id, 1) (Fun.id, 2) with _ -> say "?" | exception Invalid_argument why -> say "%s" why)

let bigarrays () =
  let a = ba_static () in
  say "%g %d" a.{1, 2} (ba_sizes (genarray_of_array2 a));
  let b = ba_new 10 in
  say "%ld %d" b.{10} (ba_sizes (genarray_of_array1 b));
  let c = ba_reshape (genarray_of_array1 b) [| 2; 5 |] in
  say "%ld %d" (Genarray.get c [| 2; 5 |]) (ba_sizes c);
  (try ignore (ba_reshape c [| 3 |]) with Invalid_argument m -> say "%s" m);
  let own = ba_own (genarray_of_array2 a) in
  say "%b %d %b" (own = genarray_of_array2 a) (compare own (genarray_of_array2 a))
    (Hashtbl.hash own = Hashtbl.hash a);
  Genarray.set own [| 0; 0 |] nan;
  say "%b %b %d" (own = own) (own < own) (compare own own);
  Genarray.set own [| 0; 0 |] 7.;
  say "%g %g" a.{0, 0} (Genarray.get (Genarray.sub_left own 1 1) [| 0; 2 |]);
  ba_own_register ();
  let text = Marshal.to_string own [] in
  let back : (float, float64_elt, c_layout) Genarray.t = Marshal.from_string text 0 in
  say "%s %b %g" (Digest.to_hex (Digest.string text)) (back = own) (Genarray.get back [| 1; 1 |]);
  let d = ba_ops () in
  say "%c%c%c %d" d.{0} d.{1} d.{2} (Array1.dim d);
  Gc.full_major ();
  ignore (Sys.opaque_identity (ba_own (genarray_of_array2 a)));
  Gc.full_major ();
  say "%b" (ba_own_finalised ())

let young () =
  let r = ref (Sys.opaque_identity 5) in
  say "%b" (is_young (ref r));
  Gc.minor ();
  say "%b %b" (is_young r) (is_young (Array.make 1000 r));
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 100_000 };
  let l = List.init 1000 ref in
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 32_768 };
  say "%b %b" (List.exists is_young l) (is_young (ref l))

let () =
  allocation ();
  roots ();
  customs ();
  texts ();
  bigarrays ();
  young ()
