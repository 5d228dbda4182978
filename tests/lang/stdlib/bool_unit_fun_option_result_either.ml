let compare_int (a : int) b = compare a b

let () =
  List.iter (fun (a, b) ->
      Printf.printf "%b %b %b %d %b\n" (Bool.not a) (Bool.( && ) a b) (Bool.( || ) a b)
        (Bool.compare a b) (Bool.equal a b))
    [ (true, true); (true, false); (false, true); (false, false) ];
  Printf.printf "%d %g %s\n" (Bool.to_int true) (Bool.to_float true) (Bool.to_string false);
  Printf.printf "%b %d %s\n" (Unit.equal () ()) (Unit.compare () ()) (Unit.to_string ());
  Printf.printf "%d %d %b %d\n" (Fun.id 3) (Fun.const 4 "x") (Fun.negate (( = ) 1) 2)
    (Fun.flip ( - ) 1 10);
  let open Option in
  Printf.printf "%d %d %b %b\n" (value None ~default:1) (get (Some 2)) (is_none None) (is_some
      (Some 1));
  Printf.printf "%b %b %b\n" (bind (Some 2) (fun x -> Some (x + 1)) = Some 3) (join (Some None) =
      None)
    (map succ (Some 1) = Some 2);
  Printf.printf "%d %b %d\n" (fold ~none:0 ~some:succ (Some 5)) (equal ( = ) (Some 1) None)
    (compare compare_int None (Some 1));
  iter (Printf.printf "%d\n") (Some 7);
  Printf.printf "%b %d %d\n" (to_result ~none:"e" None = Error "e") (List.length (to_list (Some 1)))
    (Seq.fold_left ( + ) 0 (to_seq (Some 9)));
  (try ignore (get None) with Invalid_argument m -> print_endline m)

let () =
  let open Result in
  let ok : (int, string) result = ok 1 and error : (int, string) result = error "bad" in
  Printf.printf "%d %d %s\n" (value ok ~default:0) (get_ok ok) (get_error error);
  Printf.printf "%b %b %b\n" (map succ ok = Ok 2) (map_error String.length error = Error 3)
    (bind ok (fun n -> Error (string_of_int n)) = Error "1");
  Printf.printf "%b %b %b %b\n" (is_ok ok) (is_error ok) (to_option error = None)
    (join (Ok ok) = ok);
  Printf.printf "%d %b %d\n" (fold ~ok:succ ~error:String.length error)
    (equal ~ok:( = ) ~error:( = ) ok error) (compare ~ok:compare_int ~error:String.compare ok
        error);
  iter print_int ok; iter_error print_endline error;
  Printf.printf "%d %d\n" (List.length (to_list ok)) (Seq.fold_left ( + ) 0 (to_seq ok));
  (try ignore (get_ok error) with Invalid_argument m -> print_endline m);
  (try ignore (get_error ok) with Invalid_argument m -> print_endline m)

let () =
  let open Either in
  let l : (int, string) t = left 1 and r : (int, string) t = right "r" in
  Printf.printf "%b %b %b %b\n" (is_left l) (is_right l) (find_left l = Some 1) (find_right l =
      None);
  Printf.printf "%b %b %b\n" (map_left succ l = Left 2) (map_right String.length r = Right 1)
    (map ~left:succ ~right:String.length r = Right 1);
  Printf.printf "%d %s\n" (fold ~left:succ ~right:String.length r)
    (fold ~left:string_of_int ~right:(fun s -> s) l);
  iter ~left:print_int ~right:print_endline r;
  Printf.printf "%b %b %b %d\n" (for_all ~left:(( = ) 1) ~right:(( = ) "") l)
    (equal ~left:( = ) ~right:( = ) l r) (l = Left 1)
    (compare ~left:compare_int ~right:String.compare l r)
