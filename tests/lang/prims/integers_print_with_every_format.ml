(* Every conversion with every set of flags, some widths and precisions, on all integer types. *)
external format_int : string -> int -> string = "caml_format_int"
external format_int32 : string -> int32 -> string = "caml_int32_format"
external format_int64 : string -> int64 -> string = "caml_int64_format"
external format_nativeint : string -> nativeint -> string = "caml_nativeint_format"

let flags =
  let all = [ "-"; "+"; " "; "0"; "#" ] in
  List.fold_left (fun sets f -> sets @ List.map (fun s -> s ^ f) sets) [ "" ] all

let row print values fmt =
  List.iter (fun v -> Printf.printf " [%s]" (try print fmt v with Invalid_argument m -> m)) values

let table modifier print values =
  List.iter (fun conversion ->
      List.iter (fun width ->
          List.iter (fun precision ->
              List.iter (fun f ->
                  let fmt = "%" ^ f ^ width ^ precision ^ modifier ^ conversion in
                  print_string fmt;
                  row print values fmt;
                  print_newline ())
                flags)
            [ ""; ".0"; ".7" ])
        [ ""; "14" ])
    [ "d"; "i"; "u"; "x"; "X"; "o" ]

let long_formats print v =
  for n = 20 to 40 do
    let fmt = "%" ^ String.make n '0' ^ "d" in
    Printf.printf "%d: %s\n" (String.length fmt) (try print fmt v with Invalid_argument m -> m)
  done;
  print_endline (print "text %d" v);
  print_endline (print "%300d" v);
  print_endline (print "%-300d" v);
  print_endline (print "%.300d" v)

let () =
  table "" format_int [ 0; 1; -1; 42; max_int; min_int ];
  table "l" format_int32 [ 0l; 1l; -42l; Int32.max_int; Int32.min_int ];
  table "L" format_int64 [ 0L; 1L; -42L; Int64.max_int; Int64.min_int ];
  table "n" format_nativeint [ 0n; -1n; Nativeint.max_int; Nativeint.min_int ];
  long_formats format_int 77;
  long_formats format_int32 77l;
  long_formats format_int64 77L;
  long_formats format_nativeint 77n;
  Printf.printf "%d %i %u %x %X %#x %o %ld %lx %Ld %Lu %nd %nu\n" 5 (-5) (-5) 255 255 255 8 5l (-1l)
    5L (-1L) 5n (-1n);
  List.iter (fun n -> print_endline (string_of_int n)) [ 0; 9; 10; -10; 99; 100; min_int; max_int ]
