(* The bytes of Marshal under every combination of flags, and what comes back from them. *)
let hex s =
  let b = Buffer.create 100 in
  String.iter (fun c -> Buffer.add_string b (Printf.sprintf "%02x" (Char.code c))) s;
  Buffer.contents b

let show s =
  if String.length s <= 200 then hex s
  else Printf.sprintf "%d bytes, %s, begins %s" (String.length s) (Digest.to_hex (Digest.string s))
         (hex (String.sub s 0 40))

let all_flags =
  let open Marshal in
  [ "-", []; "n", [No_sharing]; "c", [Closures]; "3", [Compat_32]; "nc3", [No_sharing; Closures; Compat_32] ]

let test name v =
  List.iter
    (fun (f, flags) ->
      match Marshal.to_string v flags with
      | s ->
        Printf.printf "%s %s: %s size=%d total=%d\n" name f (show s)
          (Marshal.data_size (Bytes.of_string s) 0)
          (Marshal.total_size (Bytes.of_string s) 0);
        let w = Marshal.from_string s 0 in
        let again = Marshal.to_string w flags in
        Printf.printf "  back: equal=%b same bytes=%b tag=%d\n" (compare v w = 0) (again = s)
          (if Obj.is_int (Obj.repr w) then -1 else Obj.tag (Obj.repr w))
      | exception e -> Printf.printf "%s %s: %s\n" name f (Printexc.to_string e))
    all_flags

type t = A | B | C of int | D of string * t | E of t * t
type r = { x : float; y : float }
type mixed = { name : string; mutable v : float; l : int list }
type big =
  | T0 of int | T1 of int | T2 of int | T3 of int | T4 of int | T5 of int | T6 of int | T7 of int
  | T8 of int | T9 of int | T10 of int | T11 of int | T12 of int | T13 of int | T14 of int
  | T15 of int | T16 of int | T17 of int * int

exception Odd of int * string

let () =
  List.iter
    (fun n -> test (Printf.sprintf "int %d" n) n)
    [ 0; 1; 63; 64; 127; 128; -1; -127; -128; -129; 255; 256; 32767; 32768; -32768; -32769; 65536;
      1 lsl 30 - 1; 1 lsl 30; -(1 lsl 30); -(1 lsl 30) - 1; 1 lsl 31; 1 lsl 40; max_int; min_int ];
  List.iter
    (fun n -> test (Printf.sprintf "string %d" n) (String.init n (fun i -> Char.chr (i * 7 land 255))))
    [ 0; 1; 7; 8; 9; 15; 31; 32; 33; 255; 256; 257; 65535; 65536; 70000 ];
  test "bytes" (Bytes.make 5 '\000');
  List.iter (fun x -> test (Printf.sprintf "float %h" x) x)
    [ 0.; -0.; 1.; -1.5; 0.1; infinity; neg_infinity; max_float; min_float; epsilon_float; 1e-320 ];
  test "float record" { x = 1.; y = -2.25 };
  test "mixed record" { name = "abc"; v = 3.5; l = [ 1; 2; 3 ] };
  test "empty array" [||];
  test "float array 1" [| 1. |];
  test "float array 300" (Array.init 300 float_of_int);
  test "floatarray" (Float.Array.init 3 (fun i -> float_of_int i /. 3.));
  test "int array 7" (Array.init 7 (fun i -> i));
  test "int array 8" (Array.init 8 (fun i -> i));
  test "int array 1000" (Array.init 1000 (fun i -> i * i));
  test "list" [ 1; 2; 3; 4 ];
  test "strings" [ "a"; "b"; "a" ];
  let s = "shared" in
  test "shared strings" [ s; s; s ^ "" ];
  test "tree" (E (E (A, C 5), D ("x", E (B, D ("y", A)))));
  test "tags" [ T0 0; T1 1; T2 2; T3 3; T4 4; T5 5; T6 6; T7 7; T8 8; T9 9; T10 10; T11 11; T12 12;
                T13 13; T14 14; T15 15; T16 16; T17 (17, 18) ];
  test "poly" [ `A; `Bcd; `E ];
  test "poly arg" (`X 3, `Y "z");
  test "option" (Some (Some None));
  test "unit" ();
  test "bools" (true, false);
  test "char" 'x';
  List.iter (fun n -> test (Printf.sprintf "int32 %ld" n) n) [ 0l; 1l; -1l; Int32.max_int; Int32.min_int ];
  List.iter (fun n -> test (Printf.sprintf "int64 %Ld" n) n) [ 0L; 1L; -1L; Int64.max_int; Int64.min_int ];
  List.iter (fun n -> test (Printf.sprintf "nativeint %nd" n) n)
    [ 0n; 1n; -1n; 0x7FFFFFFFn; 0x80000000n; -0x80000000n; -0x80000001n; Nativeint.max_int; Nativeint.min_int ];
  let n = 5L in
  test "shared int64" (n, n, Int64.add 2L 3L);
  test "ref" (ref 5, ref "x");
  test "result" [ Ok 1; Error "e" ];
  test "lazy value" (let l = lazy (3 + Sys.opaque_identity 4) in ignore (Lazy.force l); l);
  test "lazy string" (let l = lazy (String.make 3 'z') in ignore (Lazy.force l); (l, Lazy.force l));
  test "lazy float" (let l = lazy (1.5 +. Sys.opaque_identity 1.) in ignore (Lazy.force l); l)

(* Cycles *)
type node = { mutable next : node; id : int }
let () =
  let rec a = { next = b; id = 1 } and b = { next = c; id = 2 } and c = { next = a; id = 3 } in
  let s = Marshal.to_string a [] in
  Printf.printf "cycle %s\n" (hex s);
  let (x : node) = Marshal.from_string s 0 in
  Printf.printf "%d %d %d %b\n" x.id x.next.id x.next.next.id (x.next.next.next == x);
  let rec l = 1 :: 2 :: l in
  let (m : int list) = Marshal.from_string (Marshal.to_string l []) 0 in
  Printf.printf "%d %d %b\n" (List.hd m) (List.nth m 5) (m == List.tl (List.tl m))

(* Objects and exceptions get new numbers *)
class c = object method m = 1 end
let () =
  let o = Oo.copy (object val a = 1 val b = "x" end) in
  let id = Oo.id o in
  (match Marshal.to_string o [] with
   | s -> Printf.printf "object %s\n" (show s)
   | exception e -> print_endline (Printexc.to_string e));
  (match Marshal.to_string (new c) [] with
   | s -> Printf.printf "object %s\n" (show s)
   | exception e -> print_endline (Printexc.to_string e));
  ignore id;
  let e = Odd (1, "x") in
  let f : exn = Marshal.from_string (Marshal.to_string e []) 0 in
  Printf.printf "%s %b %b\n" (Printexc.to_string f) (e = f) (match f with Odd _ -> true | _ -> false);
  let f : exn = Marshal.from_string (Marshal.to_string Not_found []) 0 in
  Printf.printf "%s %b %b\n" (hex (Marshal.to_string Not_found [])) (f = Not_found) (match f with Not_found -> true | _ -> false);
  let o : < m : int > = Marshal.from_string (Marshal.to_string (new c) [ Marshal.Closures ]) 0 in
  Printf.printf "method of a copy: %d\n" o#m;
  let before = Oo.id (new c) in
  let p : < m : int > * < m : int > = Marshal.from_string (Marshal.to_string (let o = new c in (o, o)) [ Marshal.Closures ]) 0 in
  Printf.printf "ids: %d %d %b\n" (Oo.id (fst p) - before) (Oo.id (new c) - before) (fst p == snd p)
