(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
let make s = Failure s
let make_or_raise b = if b then raise Exit else Not_found

let f b = raise (make_or_raise b)
let g () = raise (make "g")
let h () = try g () with Failure _ -> raise (make "h")
let i () = try g () with e -> raise e
let j () = try g () with e -> print_string ""; raise_notrace e
let k () = try ignore (j ()) with Not_found -> ()
let l () = match g () with () -> () | exception Not_found -> ()
let m () = Fun.protect ~finally:(fun () -> ignore (try g () with _ -> ())) g
let n () = Fun.protect ~finally:(fun () -> raise Exit) g
let o () = try (try g () with Not_found -> ()) with e -> (try h () with _ -> raise e)
let p () = let x = lazy (g ()) in (try Lazy.force x with _ -> ()); Lazy.force x
let q () = try ignore (List.map (fun _ -> g ()) [ 1; 2 ]) with Failure _ as e -> Printexc.raise_with_backtrace e (Printexc.get_raw_backtrace ())

let show name f =
  match f () with
  | () -> print_endline (name ^ " returned")
  | exception e ->
    let b = Printexc.get_backtrace () in
    Printf.printf "%s: %s\n%s" name (Printexc.to_string e) b

let () =
  show "f true" (fun () -> f true);
  show "f false" (fun () -> f false);
  List.iter (fun (n, f) -> show n f)
    [ "g", g; "h", h; "i", i; "j", j; "k", k; "l", l; "m", m; "n", n; "o", o; "p", p; "q", q ]
