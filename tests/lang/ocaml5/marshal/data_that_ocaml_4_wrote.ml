(* Bytes written by OCaml 4.14, read and written again. *)
type t = A of int | B of { s : string; f : float }
let unhex s = String.init (String.length s / 2) (fun i -> Char.chr (int_of_string ("0x" ^ String.sub s (2 * i) 2)))
let check (type a) name (hex : string) (show : a -> string) =
  let bytes = unhex hex in
  let v : a = Marshal.from_string bytes 0 in
  Printf.printf "%s: %s, the same bytes %b\n" name (show v) (Marshal.to_string v [] = bytes)
let () =
  check "list" "8495a6be00000007000000030000000900000009a041a042a04340" (fun l -> String.concat "," (List.map string_of_int l));
  check "variants" "8495a6be0000000f000000050000000d0000000ca09045a121780c0000000000000440" (fun (a, b) -> match a, b with A n, B { s; f } -> Printf.sprintf "%d %s %g" n s f | _ -> "?");
  check "floats" "8495a6be000000120000000100000005000000030e02000000000000f83f00000000000000c0" (fun a -> Printf.sprintf "%g %g" a.(0) a.(1));
  check "boxed" "8495a6be0000001e000000040000000e0000000db0195f6a000000000000000005195f690000000006195f6e000100000007" (fun (a, b, c) -> Printf.sprintf "%Ld %ld %nd" a b c);
  check "bigarray" "8495a6be00000029000000010000000700000007185f6269676172723032000000001400000000000000280000000100000006000200000001ffffffff" (fun (a : (int32, Bigarray.int32_elt, Bigarray.c_layout) Bigarray.Array1.t) -> Printf.sprintf "%ld %ld" a.{0} a.{1});
  check "shared" "8495a6be0000000a000000020000000600000005a0267368617265640401" (fun (a, b) -> Printf.sprintf "%s %b" a (a == b));
  check "cyclic" "8495a6be00000004000000010000000300000003a0410401" (fun l -> string_of_bool (List.tl l == l && List.hd l = 1));
  check "string" "8495a6be0000002a000000010000000c0000000709287a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a" Fun.id;
  check "wide" "8495a6be00000013000000010000000300000003a003000001000000000003c000000000000000" (fun (a, b) -> Printf.sprintf "%d %d" a b);
  check "table" "8495a6be0000001d000000040000001c0000001cc04108000040004040b0216b4140404040404040404040404040404050" (fun h -> string_of_int (Hashtbl.find h "k"));
  check "lazy, forced" "8495a6be0000000100000000000000000000000043" (fun l -> string_of_int (Lazy.force l))
