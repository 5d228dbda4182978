(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
let rec fail n = if n = 0 then failwith "deep" else 1 + fail (n - 1)
let show name f = match f () with _ -> print_endline name | exception e -> Printf.printf "%s: %s\n%s" name (Printexc.to_string e) (Printexc.get_backtrace ())
let () =
  show "joined" (fun () -> Domain.join (Domain.spawn (fun () -> fail 2)));
  Domain.join (Domain.spawn (fun () -> show "in the domain" (fun () -> fail 2)));
  show "two domains" (fun () -> Domain.join (Domain.spawn (fun () -> Domain.join (Domain.spawn (fun () -> fail 1)))));
  show "carried over" (fun () ->
    let d = Domain.spawn (fun () -> try Ok (fail 1) with e -> Error (e, Printexc.get_raw_backtrace ())) in
    match Domain.join d with Ok n -> n | Error (e, bt) -> Printexc.raise_with_backtrace e bt);
  Printexc.record_backtrace false;
  show "off" (fun () -> fail 1);
  Domain.join (Domain.spawn (fun () -> show "off here, on there" (fun () -> fail 1)));
  show "lazy" (fun () -> Printexc.record_backtrace true; let l = lazy (fail 1) in try Lazy.force l with _ -> Lazy.force l)
