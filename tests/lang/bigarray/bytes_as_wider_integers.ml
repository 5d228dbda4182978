open Bigarray

external get16 : (char, int8_unsigned_elt,
    c_layout) Array1.t -> int -> int = "%caml_bigstring_get16"
external get32 : (char, int8_unsigned_elt,
    c_layout) Array1.t -> int -> int32 = "%caml_bigstring_get32"
external get64 : (char, int8_unsigned_elt,
    c_layout) Array1.t -> int -> int64 = "%caml_bigstring_get64"
external set16 : (char, int8_unsigned_elt,
    c_layout) Array1.t -> int -> int -> unit = "%caml_bigstring_set16"
external set32 : (char, int8_unsigned_elt,
    c_layout) Array1.t -> int -> int32 -> unit = "%caml_bigstring_set32"
external set64 : (char, int8_unsigned_elt,
    c_layout) Array1.t -> int -> int64 -> unit = "%caml_bigstring_set64"

let () =
  let a = Array1.create char c_layout 16 in
  Array1.fill a '\000';
  set16 a 1 0xABCD; set32 a 4 0x12345678l; set64 a 8 0x1122334455667788L;
  for i = 0 to 15 do Printf.printf "%02x" (Char.code a.{i}) done;
  Printf.printf "\n%x %lx %Lx %Lx\n" (get16 a 1) (get32 a 4) (get64 a 8) (get64 a 3);
  List.iter (fun f -> try f () with Invalid_argument s -> print_endline s)
    [ (fun () -> ignore (get16 a 15)); (fun () -> ignore (get32 a 13));
        (fun () -> ignore (get64 a 9));
      (fun () -> set16 a (-1) 0); (fun () -> set32 a 14 0l); (fun () -> set64 a 100 0L) ]
