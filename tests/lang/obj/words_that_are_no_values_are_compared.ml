(* ocaml5: no: it takes such words for blocks, and crashes *)
(* ocamldumpobj recognises an int64 by its first word, the address of its operations. *)
let word block = Obj.field (Obj.repr (Sys.opaque_identity block)) 0
let text s = Obj.field (Obj.repr (Bytes.to_string (Bytes.of_string s))) 0

let show name result =
  let text = match result () with n -> string_of_int n | exception e -> Printexc.to_string e in
  Printf.printf "%s: %s\n" name text

let () =
  let low = text "\x10bcdefg\x01" and high = text "\x10bcdefg\x02" and odd = text "\x12bcdefg\x03" in
  let both name f = show name (fun () -> Bool.to_int (f ())) in
  both "operations of two int64" (fun () -> word 5L = word 6L);
  both "of int64 and int32" (fun () -> word 5L = word 6l);
  both "of int64 and nativeint" (fun () -> word 5L <> word 6n);
  both "of channels" (fun () -> word stdout = word stderr);
  show "less" (fun () -> compare low high);
  show "greater" (fun () -> compare high low);
  show "negative" (fun () -> compare (text "\x10bcdefg\xff") low);
  show "equal" (fun () -> compare low (text "\x10bcdefg\x01"));
  show "with an integer" (fun () -> compare low (Obj.repr 5));
  show "integer" (fun () -> compare (Obj.repr 5) low);
  both "inside tuples" (fun () -> (1, low) < (1, high));
  both "searched" (fun () -> List.mem (word 7L) [ word 7l; word 7L ]);
  show "tag" (fun () -> Obj.tag low);
  show "unaligned" (fun () -> Obj.tag odd);
  show "of operations" (fun () -> Obj.tag (word 5L));
  show "hash" (fun () -> Hashtbl.hash low);
  show "another hash" (fun () -> Hashtbl.hash (high, odd));
  show "found" (fun () ->
      let table = Hashtbl.create 5 in
      Hashtbl.replace table (word 5L) 64;
      Hashtbl.replace table (word 5l) 32;
      Hashtbl.find table (word 6L));
  show "written" (fun () -> String.length (Marshal.to_string low []))
