(* A float read as a string ends before its last byte says; what follows may be another digit. *)
let float_of_bytes text last =
  let b = Bytes.make 8 '\000' in
  Bytes.blit_string text 0 b 0 (String.length text);
  Bytes.set b 7 (Char.chr last);
  Int64.float_of_bits (Bytes.get_int64_le b 0)

let show read text last =
  let x : string = Obj.magic (float_of_bytes text last) in
  Printf.printf "%S %d: %s\n" text last (try read x with Failure s -> s)

let () =
  List.iter
    (fun read ->
      List.iter
        (fun text -> for last = 0 to 7 do show read text last done)
        [ "1234567"; "12"; "12_4"; "12__"; "-12345"; "0x1f2"; "0b1012"; "0o178"; "0xfg"; "0u99"; "_1" ])
    [ (fun s -> string_of_int (int_of_string s));
      (fun s -> Int32.to_string (Int32.of_string s));
      (fun s -> Int64.to_string (Int64.of_string s));
      (fun s -> Nativeint.to_string (Nativeint.of_string s)) ]
