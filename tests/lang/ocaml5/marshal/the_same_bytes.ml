(* What Marshal writes for values of all shapes. *)
let hex s = String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (String.to_seq s)))
let show name ?(flags = []) v = Printf.printf "%s: %s\n" name (let s = hex (Marshal.to_string v flags) in if String.length s < 300 then s else Digest.to_hex (Digest.string s) ^ string_of_int (String.length s))
type r = { mutable a : int; b : float; c : string }
let () =
  List.iter (fun n -> show (string_of_int n) n) [0; 63; 64; -1; -128; -129; 32767; 32768; -32769; 1 lsl 31 - 1; 1 lsl 31; max_int; min_int];
  show "float" 1.5; show "nan" nan; show "floats" [| 1.; 2. |]; show "empty array" [||];
  show "string" "abc"; show "31" (String.make 31 'x'); show "32" (String.make 32 'x'); show "256" (String.make 256 'x');
  show "list" [1; 2; 3]; show "record" { a = 1; b = 2.5; c = "c" };
  show "int32" 5l; show "int64" 0x1122334455667788L; show "nativeint" 7n; show "nativeint wide" 0x1122334455667788n;
  let s = "shared" in show "shared" (s, s, [s]); show "not shared" ~flags:[Marshal.No_sharing] (s, s);
  let rec cyc = 1 :: 2 :: cyc in show "cyclic" cyc;
  show "block of 40" (Array.make 40 0); show "block of 300" (Array.init 300 Fun.id); show "many floats" (Array.init 300 float);
  show "object id" (Marshal.from_string (Marshal.to_string (1, 2) []) 0 : int * int);
  show "bigarray" (Bigarray.Array1.of_array Int8_unsigned C_layout [| 1; 2; 3 |]);
  show "bigarray 2" (Bigarray.Array2.init Float64 Fortran_layout 2 2 (fun i j -> float (i * j)));
  show "float16" (Bigarray.Array1.of_array Float16 C_layout [| 1.5; -2. |]);
  show "polymorphic" (`A, `B 3); show "exception" (try Some (Marshal.to_string Not_found []) with _ -> None);
  show "compat" ~flags:[Marshal.Compat_32] [1; 1 lsl 30 - 1];
  show "deep" (List.fold_left (fun l i -> (i, string_of_int i) :: l) [] (List.init 2000 Fun.id))
