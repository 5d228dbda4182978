(* packages: yojson,re - libraries without C, as a check of what is around them. *)
let () =
  let j = Yojson.Safe.from_string {|{"a":[1,2.5,"x\u00e9",null,true],"b":{"c":123456789012345678901234}}|} in
  print_endline (Yojson.Safe.pretty_to_string j); print_endline (Yojson.Safe.to_string j);
  let re = Re.compile (Re.seq [Re.group (Re.rep1 Re.digit); Re.char '-'; Re.group (Re.rep1 Re.alpha)]) in
  List.iter (fun g -> Printf.printf "%s/%s\n" (Re.Group.get g 1) (Re.Group.get g 2)) (Re.all re "12-ab 7-z 99-foo");
  (try ignore (Yojson.Safe.from_string "{bad") with Yojson.Json_error m -> print_endline m)
