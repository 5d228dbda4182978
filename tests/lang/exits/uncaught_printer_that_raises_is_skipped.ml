exception Mine of int
let () =
  Printexc.register_printer (function Mine _ -> Some "found by the first printer" | _ -> None);
  Printexc.register_printer (fun _ -> raise Exit);
  Printexc.register_printer (fun _ -> None);
  raise (Mine 1)
