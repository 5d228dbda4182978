(* ocaml5: no: it has no Obj.truncate *)
type t = A | B of int | C of string
exception E

let tag x = Obj.tag (Obj.repr x)
let size x = Obj.size (Obj.repr x)

let () =
  Printf.printf "%d %d %d %d %d %d\n" (tag 1) (tag A) (tag (B 1)) (tag (C "")) (tag "s") (tag 1.5);
  Printf.printf "%d %d %d %d %d\n" (tag [| 1.0 |]) (tag (1,
      2)) (tag (fun x -> x)) (tag 1l) (tag (lazy (ref 1)));
  Printf.printf "%d %d %d\n" (tag E) (tag (object end)) (tag (let rec f () = g () and g () = f ()
      in g));
  Printf.printf "%d %d %d %d %d\n" (size "") (size "1234567") (size "12345678") (size (1, 2,
      3)) (size [| 1.0 |]);
  Printf.printf "%b %b\n" (Obj.is_int (Obj.repr 0)) (Obj.is_block (Obj.repr "x"));
  let r = Obj.repr (1, "two") in
  Printf.printf "%d %s\n" (Obj.obj (Obj.field r 0)) (Obj.obj (Obj.field r 1));
  let d = Obj.dup r in
  Obj.set_field d 0 (Obj.repr 9);
  Printf.printf "%d %d\n" (Obj.obj (Obj.field r 0)) (Obj.obj (Obj.field d 0));
  let n = Obj.new_block 3 2 in
  Obj.set_field n 0 (Obj.repr 'a'); Obj.set_field n 1 (Obj.repr 'b');
  Printf.printf "%d %d %c\n" (Obj.tag n) (Obj.size n) (Obj.obj (Obj.field n 1));
  Printf.printf "%g\n" (Obj.double_field (Obj.repr [| 1.5; 2.5 |]) 1);
  let fs = Obj.repr [| 1.5; 2.5 |] in
  Obj.set_double_field fs 0 8.5;
  Printf.printf "%g\n" (Obj.obj fs : float array).(0);
  let w = Obj.with_tag 5 r in
  Printf.printf "%d %d\n" (Obj.tag w) (Obj.tag r);
  Printf.printf "%d %d %d\n" (Obj.reachable_words (Obj.repr [ 1; 2;
      3 ])) (Obj.reachable_words (Obj.repr 1))
    (let s = "shared!" in Obj.reachable_words (Obj.repr (s, s)));
  let t = Array.make 10 'q' in
  Obj.truncate (Obj.repr t) 4;
  Printf.printf "%d\n" (Array.length t);
  let v = Obj.repr (ref 3) in
  Obj.set_tag v 7;
  Printf.printf "%d\n" (Obj.tag v);
  Printf.printf "%d %d %d %d\n" Obj.lazy_tag Obj.closure_tag Obj.object_tag Obj.infix_tag;
  Printf.printf "%d %d %d %d %d %d\n" Obj.forward_tag Obj.no_scan_tag Obj.abstract_tag
      Obj.string_tag Obj.double_tag
    Obj.custom_tag;
  Printf.printf "%nd\n" (Obj.raw_field (Obj.repr [| 5 |]) 0);
  let raw = Obj.repr (ref 0) in
  Obj.set_raw_field raw 0 85n;
  Printf.printf "%d\n" (Obj.obj (Obj.field raw 0));
  let e = Obj.Extension_constructor.of_val E in
  print_endline (Obj.Extension_constructor.name e);
  (try ignore (Obj.Extension_constructor.of_val 5) with Invalid_argument s -> print_endline s)
