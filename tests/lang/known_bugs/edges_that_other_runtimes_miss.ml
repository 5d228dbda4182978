(* ocaml5: no: its ephemerons are immutable *)
(* libs: str.cma *)
(* What reviews of other runtimes found (js_of_ocaml #2263, #2270): shifts by the width and more,
   hexadecimal floats, matching at the end of a string, data of ephemerons that is copied. *)
let () =
  List.iter
    (fun s ->
      Printf.printf "%d: %Lx %Lx %Lx %lx %lx %lx %nx\n" s (Int64.shift_left 5L s) (Int64.shift_right (-5L) s)
        (Int64.shift_right_logical (-5L) s) (Int32.shift_left 5l (s land 31)) (Int32.shift_right (-5l) (s land 31))
        (Int32.shift_right_logical (-5l) (s land 31)) (Nativeint.shift_left 5n s))
    [ 0; 1; 31; 32; 33; 62; 63 ];
  List.iter
    (fun x -> Printf.printf "%h %H %.0h %.1h %.3h %+h %20h|%-20h|%020h\n" x x x x x x x x x)
    [ 0.; -0.; 1.; 1.5; -3.25; 0x1p-1022; 0x1.8p-1074; 4.9e-324; max_float; min_float; epsilon_float; infinity; neg_infinity; nan; 0x1.fffffp3 ];
  List.iter
    (fun s -> Printf.printf "%s = %s\n" s (match float_of_string s with x -> Printf.sprintf "%h" x | exception Failure e -> e))
    [ "0x1p4"; "0x.8"; "0x1."; "0x"; "0x1p"; "0x1.8p+3"; "-0xAp-2"; "0x1_0p1_0"; "0x1p99999"; "0x1p-99999"; "1e"; ".5"; "1_000.5"; "nan"; "-inf"; "0x1.fffffffffffff8p0"; "0x1.fffffffffffff7p0" ]

let () =
  let show name f = Printf.printf "%s: %s\n" name (match f () with s -> s | exception e -> Printexc.to_string e) in
  let r = Str.regexp in
  show "empty at the end" (fun () -> string_of_int (Str.search_forward (r "x*$") "abc" 3));
  show "beyond the end" (fun () -> string_of_int (Str.search_forward (r "a") "abc" 4));
  show "before the start" (fun () -> string_of_int (Str.search_backward (r "a") "abc" (-1)));
  show "back from the end" (fun () -> string_of_int (Str.search_backward (r "$") "abc" 3));
  show "word end" (fun () -> string_of_int (Str.search_forward (r "c\\b") "abc" 0));
  show "group at the end" (fun () -> ignore (Str.string_match (r "\\(abc\\)\\(d\\)?") "abc" 0); Str.matched_group 2 "abc");
  show "no group" (fun () -> ignore (Str.string_match (r "abc") "abc" 0); Str.matched_group 7 "abc");
  show "replace" (fun () -> Str.global_replace (r "x*") "-" "abxc");
  show "split" (fun () -> String.concat "|" (Str.split (r "[ ]*") " a b  c"));
  show "full" (fun () -> string_of_int (List.length (Str.full_split (r ",") ",a,,b,")));
  show "back reference" (fun () -> string_of_bool (Str.string_match (r "\\(a*\\)b\\1$") "aabaa" 0));
  show "match at the end" (fun () -> string_of_bool (Str.string_match (r "") "abc" 3));
  show "match beyond" (fun () -> string_of_bool (Str.string_match (r "") "abc" 4));
  show "partial" (fun () -> string_of_bool (Str.string_partial_match (r "abcd") "abc" 0))

let () =
  let e = Ephemeron.Kn.create 3 and f = Ephemeron.Kn.create 3 in
  let k = ref 1 in
  Ephemeron.Kn.set_key e 0 k; Ephemeron.Kn.set_data e (String.make 2 'd');
  Ephemeron.Kn.blit_key e 0 f 1 2; Ephemeron.Kn.blit_data e f;
  Gc.full_major ();
  Printf.printf "%b %b %b\n" (Ephemeron.Kn.check_key f 1) (Ephemeron.Kn.check_key f 2) (Ephemeron.Kn.get_data f = Some "dd");
  ignore (Sys.opaque_identity k);
  at_exit (fun () -> print_string "the last words, not flushed")
