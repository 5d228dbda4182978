(* Obj of OCaml 5: no truncate, no set_tag; with_tag, dup, raw fields. *)
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with s -> say "%s: %s" name s | exception e -> say "%s: %s" name (Printexc.to_string e)
type t = A of int | B of string * int | C
let () =
  let tags = List.map (fun r -> string_of_int (Obj.tag r)) [Obj.repr 0; Obj.repr "s"; Obj.repr 1.5; Obj.repr [| 1.5 |]; Obj.repr (fun x -> x + 1); Obj.repr 3L; Obj.repr (A 1); Obj.repr (B ("", 1)); Obj.repr (object end); Obj.repr Exit; Obj.repr (ref 0); Obj.repr print_string] in
  say "%s" (String.concat " " tags);
  say "%d %d %d %d %d %d %d %d %d" Obj.forcing_tag Obj.cont_tag Obj.lazy_tag Obj.closure_tag Obj.object_tag Obj.infix_tag Obj.forward_tag Obj.no_scan_tag Obj.abstract_tag;
  say "%d %d %d %d %d" Obj.string_tag Obj.double_tag Obj.double_array_tag Obj.custom_tag Obj.last_non_constant_constructor_tag;
  let b = Obj.repr (B ("x", 2)) in
  let a = Obj.with_tag 0 b in say "%d %d %d %b" (Obj.tag a) (Obj.size a) (Obj.tag b) (Obj.field a 0 == Obj.field b 0);
  let d = Obj.dup b in Obj.set_field d 1 (Obj.repr 9); say "%b" ((Obj.obj b : t) = B ("x", 2) && (Obj.obj d : t) = B ("x", 9));
  show "new_block" (fun () -> let n = Obj.new_block 3 2 in string_of_int (Obj.tag n + Obj.size n));
  show "new_block 0" (fun () -> string_of_int (Obj.size (Obj.new_block 0 0)));
  show "new_block string" (fun () -> string_of_int (Obj.size (Obj.new_block Obj.string_tag 3)));
  show "double fields" (fun () -> let a = Obj.repr [| 1.; 2. |] in Obj.set_double_field a 1 5.5; string_of_float (Obj.double_field a 1));
  show "raw field" (fun () -> Nativeint.to_string (Obj.raw_field (Obj.repr [| 1; 5 |]) 1));
  show "set_raw_field" (fun () -> let a = [| 1; 5 |] in Obj.set_raw_field (Obj.repr a) 0 15n; string_of_int a.(0));
  show "reachable" (fun () -> string_of_int (Obj.reachable_words (Obj.repr [[1]; [2; 3]; []])));
  show "reachable atoms" (fun () ->
    string_of_int (Obj.reachable_words (Obj.repr ([||], [||], object end))));
  show "reachable shared" (fun () -> let s = "abc" in string_of_int (Obj.reachable_words (Obj.repr (s, s))));
  show "extension" (fun () -> let c = Obj.Extension_constructor.of_val Not_found in Obj.Extension_constructor.name c);
  show "not an extension" (fun () -> Obj.Extension_constructor.name (Obj.Extension_constructor.of_val 3));
  show "ephemeron" (fun () -> let e = Obj.Ephemeron.create 2 in Obj.Ephemeron.set_key e 0 (Obj.repr (ref 1)); Printf.sprintf "%d %b %b" (Obj.Ephemeron.length e) (Obj.Ephemeron.check_key e 0) (Obj.Ephemeron.check_key e 1));
  show "ephemeron index" (fun () -> Obj.Ephemeron.set_key (Obj.Ephemeron.create 2) 2 (Obj.repr 1); "?");
  show "ephemeron size" (fun () -> ignore (Obj.Ephemeron.create (-1)); "?");
  say "%d" Obj.Ephemeron.max_ephe_length
