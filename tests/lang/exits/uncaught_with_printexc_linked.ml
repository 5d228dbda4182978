exception Mine of int * string
let () =
  Printexc.register_printer (function Mine (n,
      s) -> Some (Printf.sprintf "<%d|%s>" n s) | _ -> None);
  raise (Mine (3, "three"))
