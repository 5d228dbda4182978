(* ocaml: 5.4 *)
(* Custom blocks of a fixed size are read without their size, others with it. *)
let custom name payload =
  let b = Bytes.make (20 + String.length payload) '\000' in
  Bytes.set_int32_be b 0 0x8495A6BEl;
  Bytes.set_int32_be b 4 (Int32.of_int (String.length payload));
  Bytes.set_int32_be b 8 1l;
  Bytes.set_int32_be b 16 3l;
  Bytes.blit_string payload 0 b 20 (String.length payload);
  match ignore (Sys.opaque_identity (Marshal.from_bytes b 0 : Obj.t)) with
  | () -> Printf.printf "%s: read\n" name
  | exception Failure s -> Printf.printf "%s: %s\n" name s

let size = "\000\000\000\008\000\000\000\000\000\000\000\008"
let () =
  custom "int64" "\x19_j\000\000\000\000\000\000\000\000\007";
  custom "int64 with its size" ("\x18_j\000" ^ size ^ "\000\000\000\000\000\000\000\007");
  custom "int32 with its size" ("\x18_i\000" ^ size ^ "\000\000\000\007");
  custom "nativeint with its size" ("\x18_n\000" ^ size ^ "\001\000\000\000\007");
  custom "a bigarray without its size" "\x19_bigarr02\000\000\000\000\000\000\000\000\000"
