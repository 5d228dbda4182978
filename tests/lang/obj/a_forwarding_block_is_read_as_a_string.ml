(* A collection replaces a forwarding block by its content, also while its bytes are copied. *)
let () =
  for i = 1 to 2000 do
    let block = Obj.new_block Obj.forward_tag 1 in
    Obj.set_field block 0 (Obj.repr (i land 127));
    let text = string_of_int (try int_of_string (Obj.obj block) with Failure _ -> i) in
    if text <> string_of_int i then print_endline text
  done;
  print_endline "end"
