(* What Marshal refuses, with which exception. *)
let attempt name f =
  match f () with
  | () -> Printf.printf "%s: done\n" name
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let out name ?(flags = []) v = attempt name (fun () -> ignore (Marshal.to_string v flags))

let () =
  out "function" (fun x -> x);
  out "function in a list" [ Some (fun x -> x + 1) ];
  out "primitive" (Obj.magic succ);
  out "channel" stdout;
  out "in_channel" (1, stdin);
  out "weak" (Weak.create 3);
  out "unevaluated lazy" (lazy (print_endline "x"));
  out "abstract" (Obj.new_block Obj.abstract_tag 2);
  let c = Marshal.[ Compat_32 ] in
  out "32: big int" ~flags:c (1 lsl 30);
  out "32: int" ~flags:c (1 lsl 30 - 1);
  out "32: string" ~flags:c (String.make 0xFFFFFC 'x');
  out "32: longest string" ~flags:c (String.make 0xFFFFFB 'x');
  out "32: floats" ~flags:c (Array.make 0x200000 1.);
  out "32: most floats" ~flags:c (Array.make 0x1FFFFF 1.);
  out "32: array" ~flags:c (Array.make 0x400000 0);
  out "32: longest array" ~flags:c (Array.make 0x3FFFFF 0);
  out "64: array" (Array.make 0x400000 0)

let () =
  let s = Marshal.to_bytes [ "abc"; "def" ] [] in
  let n = Bytes.length s in
  for i = 0 to n - 1 do
    attempt (Printf.sprintf "first %d bytes" i) (fun () -> ignore (Marshal.from_bytes (Bytes.sub s 0 i) 0 : string list))
  done;
  attempt "whole" (fun () -> ignore (Marshal.from_bytes s 0 : string list));
  List.iter
    (fun ofs -> attempt (Printf.sprintf "at %d" ofs) (fun () -> ignore (Marshal.from_bytes s ofs : string list)))
    [ -1; 1; n; n + 1; max_int ];
  let with_byte i c = let t = Bytes.copy s in Bytes.set t i c; t in
  for i = 0 to 3 do
    attempt (Printf.sprintf "magic %d" i) (fun () -> ignore (Marshal.from_bytes (with_byte i 'x') 0 : string list))
  done;
  attempt "magic size" (fun () -> ignore (Marshal.data_size (with_byte 0 'x') 0));
  attempt "magic total" (fun () -> ignore (Marshal.total_size (with_byte 0 'x') 0));
  attempt "size at -1" (fun () -> ignore (Marshal.data_size s (-1)));
  attempt "size of few" (fun () -> ignore (Marshal.data_size (Bytes.sub s 0 19) 0));
  attempt "size of header" (fun () -> Printf.printf "%d\n" (Marshal.data_size (Bytes.sub s 0 20) 0));
  attempt "longer" (fun () -> ignore (Marshal.from_bytes (with_byte 7 '\255') 0 : string list));
  let big = Bytes.make 32 '\000' in
  Bytes.set_int32_be big 0 0x8495A6BFl;
  Bytes.set_int64_be big 8 1L;
  attempt "big header size" (fun () -> Printf.printf "%d\n" (Marshal.data_size big 0));
  attempt "big header, no data" (fun () -> ignore (Marshal.from_bytes big 0 : int));
  let big = Bytes.cat big (Bytes.make 1 '\x45') in
  attempt "big header" (fun () -> Printf.printf "%d\n" (Marshal.from_bytes big 0));
  attempt "int code" (fun () ->
      let t = Bytes.make 21 '\000' in
      Bytes.set_int32_be t 0 0x8495A6BEl; Bytes.set t 7 '\001'; Bytes.set t 20 '\x7f';
      Printf.printf "%d\n" (Marshal.from_bytes t 0))

let () =
  let b = Bytes.make 40 '.' in
  let show n = Printf.printf "%d %S\n" n (Bytes.to_string b) in
  attempt "buffer" (fun () -> show (Marshal.to_buffer b 3 30 "hello" []));
  attempt "buffer too small" (fun () -> show (Marshal.to_buffer b 3 10 "hello" []));
  attempt "buffer exact" (fun () -> show (Marshal.to_buffer b 0 26 "hello" []));
  attempt "buffer exact - 1" (fun () -> ignore (Marshal.to_buffer b 0 25 "hello" []));
  attempt "buffer bounds" (fun () -> show (Marshal.to_buffer b 30 20 "hello" []));
  attempt "buffer negative" (fun () -> show (Marshal.to_buffer b (-1) 20 "hello" []));
  attempt "buffer function" (fun () -> show (Marshal.to_buffer b 0 40 (fun x -> x) []))

let custom name payload =
  let data = payload in
  let b = Bytes.make (20 + String.length data) '\000' in
  Bytes.set_int32_be b 0 0x8495A6BEl;
  Bytes.set_int32_be b 4 (Int32.of_int (String.length data));
  Bytes.set_int32_be b 8 1l;
  Bytes.set_int32_be b 16 3l;
  Bytes.blit_string data 0 b 20 (String.length data);
  attempt name (fun () -> ignore (Sys.opaque_identity (Marshal.from_bytes b 0 : Obj.t)))

let () =
  custom "unknown custom" "\x18_unknown\000\000\000\000\004\000\000\000\000\000\000\000\008abcdefgh";
  custom "fixed unknown" "\x19_other\000abcd";
  custom "fixed int64" "\x19_j\000\000\000\000\000\000\000\000\007";
  custom "sized int64" "\x18_j\000\000\000\000\008\000\000\000\000\000\000\000\008\000\000\000\000\000\000\000\007";
  custom "wrong size" "\x18_j\000\000\000\000\004\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\007";
  custom "nativeint of width 3" "\x19_n\000\003\000\000\000\000";
  custom "fixed bigarray" "\x19_bigarr02\000\000\000\000\000\000\000\000\000";
  custom "old int32" "\x12_i\000\000\000\000\007"
