let o = Sys.opaque_identity
let values = [ 0; 1; -1; 5; -5; 0x0F0F; max_int; min_int ]

let () =
  List.iter (fun a ->
      List.iter (fun n -> Printf.printf "%x %x %x " (o a lsl n) (o a lsr n) (o a asr n))
        [ 0; 1; 3; 31; 32; 61; 62 ];
      print_newline ())
    values;
  List.iter (fun a ->
      List.iter (fun b -> Printf.printf "%x %x %x " (o a land o b) (o a lor o b) (o a lxor o b))
        values;
      Printf.printf "%x\n" (lnot (o a)))
    values
