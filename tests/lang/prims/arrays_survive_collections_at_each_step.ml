(* The array primitives that allocate, small enough to run with a collection at every allocation. *)
external append : 'a array -> 'a array -> 'a array = "caml_array_append"
external concat : 'a array list -> 'a array = "caml_array_concat"

let print to_string name a =
  Printf.printf "%s %d %d: %s %s\n" name (Array.length a) (Obj.tag (Obj.repr a)) (to_string a.(0))
    (to_string a.(Array.length a - 1))

let exercise to_string of_int =
  List.iter (fun n ->
      let a = Array.init n of_int in
      print to_string "init" a;
      print to_string "make" (Array.make n (of_int 5));
      print to_string "append" (append a (Array.map (fun x -> x) a));
      print to_string "concat" (concat [ Array.init 3 of_int; [||]; a; Array.init 2 of_int ]);
      print to_string "sub" (Array.sub a 1 (n - 1));
      print to_string "copy" (Array.copy a);
      let old = Array.make 600 (of_int 0) in
      Array.fill old 0 (n / 2) (of_int 77);
      Array.blit a 0 old (600 - n) n;
      Array.blit old 10 old 5 300;
      print to_string "old" old;
      print to_string "list" (Array.of_list (Array.to_list a)))
    [ 2; 40; 300 ]

let () =
  exercise string_of_int Fun.id;
  exercise Fun.id (fun i -> String.make 3 (Char.chr (32 + (i land 63))));
  exercise string_of_float (fun i -> float_of_int i +. 0.5);
  let literal x y = [| x; y; x |] in
  print string_of_float "literal" (literal (sqrt 2.) (sqrt 3.));
  print Fun.id "literal" (literal (String.make 2 'a') (String.make 2 'b'))
