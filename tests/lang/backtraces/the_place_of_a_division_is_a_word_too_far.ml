(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
(* Where a division by zero raises: OCaml looks a word after the instruction, where the debug event may be of
   the next expression, or of the next function. *)
let show name f = match f () with _ -> () | exception Division_by_zero -> Printf.printf "%s: %s" name (Printexc.get_backtrace ())
let zero = Sys.opaque_identity 0
let[@inline never] divide x = 10 / x
let[@inline never] add_one x = 1 + 10 / x
let[@inline never] remainder x = x mod zero
let () =
  show "last function" (fun () -> divide 0);
  show "before a function" (fun () -> remainder 0);
  show "in an addition" (fun () -> add_one 0);
  show "the whole body" (fun () -> 10 / zero);
  show "in map" (fun () -> List.map (fun x -> 10 / x) [ 0 ]);
  show "as an argument" (fun () -> string_of_int (10 / zero));
  show "bound" (fun () -> let r = 10 / zero in r + 1);
  show "a primitive" (fun () -> Int64.div 1L 0L);
  show "reraised" (fun () -> try divide 0 with Division_by_zero as e -> raise e);
  show "another after it" (fun () -> try divide 0 with Division_by_zero -> raise_notrace Division_by_zero);
  show "raised" (fun () -> (try ignore (divide 0) with Division_by_zero -> ()); raise Division_by_zero)
