external get_public_method : 'a -> int -> Obj.t = "caml_get_public_method"

let tag name = CamlinternalOO.public_method_label name

let o =
  object
    val x = 3
    method alpha = x
    method beta n = x + n
    method gamma = "gamma"
    method delta = x * 2
    method epsilon () = "epsilon"
  end

class point x = object (self) method x = x method twice = 2 * self#x end
class late x = object inherit point x method x = x + 100 method z = 5 end

let () =
  let call name = (Obj.obj (get_public_method o (Obj.magic (tag name))) : Obj.t -> int) (Obj.repr o) in
  Printf.printf "%d %d\n" (call "alpha") (call "delta");
  let text name = (Obj.obj (get_public_method o (Obj.magic (tag name))) : Obj.t -> string) (Obj.repr o) in
  print_endline (text "gamma");
  List.iter (fun (p : point) -> Printf.printf "%d %d\n" p#x p#twice)
    [ new point 1; (new late 2 :> point); new point 3; (new late 4 :> point) ];
  let one = object method only = 1 end in
  print_int ((Obj.obj (get_public_method one (Obj.magic (tag "only"))) : Obj.t -> int) (Obj.repr one));
  print_newline ()
