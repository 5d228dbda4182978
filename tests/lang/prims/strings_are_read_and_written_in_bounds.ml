external get : string -> int -> char = "caml_string_get"
external bytes_get : bytes -> int -> char = "caml_bytes_get"
external set : bytes -> int -> char -> unit = "caml_bytes_set"
external string_set : bytes -> int -> char -> unit = "caml_string_set"
external get16 : string -> int -> int = "caml_string_get16"
external get32 : string -> int -> int32 = "caml_string_get32"
external get64 : string -> int -> int64 = "caml_string_get64"
external bytes_get16 : bytes -> int -> int = "caml_bytes_get16"
external bytes_get32 : bytes -> int -> int32 = "caml_bytes_get32"
external bytes_get64 : bytes -> int -> int64 = "caml_bytes_get64"
external set16 : bytes -> int -> int -> unit = "caml_bytes_set16"
external set32 : bytes -> int -> int32 -> unit = "caml_bytes_set32"
external set64 : bytes -> int -> int64 -> unit = "caml_bytes_set64"
external create_string : int -> bytes = "caml_create_string"
external create_bytes : int -> bytes = "caml_create_bytes"
external fill_string : bytes -> int -> int -> char -> unit = "caml_fill_string"

let attempt f = try f () with Invalid_argument m -> "Invalid_argument " ^ m | Out_of_memory -> "Out_of_memory"
let show f = print_endline (attempt f)

let reads s =
  List.iter (fun i ->
      Printf.printf "%d/%d: %s | %s | %s | %s\n" i (String.length s)
        (attempt (fun () -> string_of_int (Char.code (get s i)) ^ string_of_int (Char.code (bytes_get (Bytes.of_string s) i))))
        (attempt (fun () -> Printf.sprintf "%x %x" (get16 s i) (bytes_get16 (Bytes.of_string s) i)))
        (attempt (fun () -> Printf.sprintf "%lx %lx" (get32 s i) (bytes_get32 (Bytes.of_string s) i)))
        (attempt (fun () -> Printf.sprintf "%Lx %Lx" (get64 s i) (bytes_get64 (Bytes.of_string s) i))))
    ([ -1; min_int; max_int; max_int - 7; 1 lsl 61 ] @ List.init (String.length s + 2) Fun.id)

let writes n =
  List.iter (fun i ->
      let on name f =
        let b = Bytes.make n '.' in
        Printf.printf "%s %d/%d: %s\n" name i n (attempt (fun () -> f b; String.escaped (Bytes.to_string b)))
      in
      on "8" (fun b -> set b i 'x');
      on "8s" (fun b -> string_set b i (Obj.magic 0x1241));
      on "16" (fun b -> set16 b i 0x12345);
      on "16m" (fun b -> set16 b i (-2));
      on "32" (fun b -> set32 b i 0x01020304l);
      on "64" (fun b -> set64 b i (-0x0102030405060708L)))
    ([ -1; min_int; max_int ] @ List.init (n + 1) Fun.id)

let () =
  List.iter reads [ ""; "a"; "ab"; "abcdefg"; "\x80\x81\xfe\xff\x00\x01\x7f\xf0"; "123456789\200\201\202" ];
  List.iter writes [ 0; 1; 2; 7; 8; 9; 16 ];
  List.iter (fun n ->
      show (fun () -> string_of_int (Bytes.length (create_string n)));
      show (fun () -> string_of_int (Bytes.length (create_bytes n))))
    [ 0; 1; 7; 8; 9; 2039; 2040; 2047; 2048; 100000; -1; min_int; max_int; 1 lsl 57; (1 lsl 57) - 8; (1 lsl 57) - 9 ];
  let b = Bytes.make 20 'a' in
  fill_string b 3 4 'z'; fill_string b 18 2 'y'; fill_string b 0 1 (Obj.magic 0x5242);
  print_endline (Bytes.to_string b);
  (* Nothing looks at an empty range. *)
  Bytes.unsafe_fill b 1000 0 'q'; Bytes.unsafe_blit b (-5) b 1000 0; Bytes.unsafe_blit_string "" 9 b (-9) 0;
  print_endline (Bytes.to_string b);
  show (fun () -> Bytes.fill b 18 3 'a'; "filled");
  show (fun () -> Bytes.blit b 0 b 10 11; "copied");
  show (fun () -> Bytes.blit_string "abc" 2 b 0 2; "copied");
  show (fun () -> Bytes.sub_string b 19 2);
  show (fun () -> String.make 1 (String.get "abc" 3));
  show (fun () -> String.make 1 (Bytes.get b (-1)))

let () =
  for n = 0 to 20 do
    let s = String.init n (fun i -> Char.chr (i * 37 land 255)) in
    let b = Bytes.of_string s in
    assert (Bytes.unsafe_to_string b = s && Bytes.length b = n && String.length s = n);
    for from = 0 to n do
      for at = 0 to n do
        let length = n - max from at in
        let b = Bytes.of_string s in
        Bytes.blit b from b at length;
        print_string (Digest.to_hex (Digest.bytes b) ^ " ")
      done
    done
  done;
  print_newline ()
