(* Calls whose callee is a guess: the expected closure, another one of the same function, another
   function, what is not a closure; and closures and modules that die, move and are changed. *)
let rounds = 1500
let total name f =
  Printf.printf "%s: %d\n" name (List.fold_left (fun h i -> ((h * 31) + f i) land 0xffffff) 7 (List.init rounds Fun.id))

let add k = fun x -> x + k
let add_all k = fun x -> let rec go i acc = if i = 0 then acc else go (i - 1) (acc + k) in go 3 x
let twice f = fun x -> f (f x) + 1
let tail f = fun x -> f (x + 1)
let both f g = fun x y -> f x y - g y x
let sum3 a b c = a + (10 * b) + (100 * c)
let curried a = if a land 1 = 0 then (fun b -> a - b) else (fun b -> a + b)

let () =
  let uses =
    [ "the same closure", twice (add 1); "one more", twice (add 5); "a loop", twice (add_all 2);
      "another function", twice (fun x -> x * 3); "a primitive", twice succ;
      "a partial application", twice (sum3 1 2); "a tail call", tail (add 4);
      "of a loop", tail (add_all 1); "of a partial application", tail (sum3 3 4);
      "two", both (sum3 1) (sum3 2) 5; "too many arguments", both curried curried 8;
      "exchanged", both ( + ) ( - ) 9 ] in
  List.iter (fun (name, f) -> total name f) uses;
  List.iter (fun (name, f) -> total name f) (List.rev uses)

(* Closures that die: others may get their addresses. *)
let () =
  total "dying" (fun i ->
      let f = if i land 3 = 0 then twice (add i) else if i land 1 = 0 then twice (add_all i) else tail (sum3 i 1) in
      if i land 127 = 0 then Gc.full_major () else if i land 15 = 0 then Gc.minor ();
      f i + f 2)

(* Functions that are defined together. *)
let rec even n = if n = 0 then true else odd (n - 1)
and odd n = if n = 0 then false else even (n - 1)
let () = total "even" (fun i -> Bool.to_int (even (i land 7)) + Bool.to_int (odd (i land 3)))

(* What is called is not a function. *)
let called (f : int -> int) = fun x -> match f x with n -> n | exception e -> raise e
let () =
  total "called" (called (add 2));
  List.iter
    (fun v ->
      match called (Obj.magic v) 1 with
      | n -> Printf.printf "%d\n" n
      | exception e -> print_endline (Printexc.to_string e))
    (if Sys.argv = [||] then [ Obj.repr 0; Obj.repr (1, 2) ] else [])

(* Exceptions and frames of calls that are expected. *)
let fails k = fun x -> if x land 7 = k then failwith (string_of_int k) else x
let guarded f = fun x -> try f x with Failure s -> 100 + int_of_string s
let () = List.iter (fun k -> total "failing" (guarded (fails k))) [ 1; 2; 3 ]
