(* Arrays of integers, strings and floats, of sizes on both sides of the small-block limit, through every primitive. *)
external make : int -> 'a -> 'a array = "caml_make_vect"
external make_float : int -> float array = "caml_make_float_vect"
external floatarray_create : int -> floatarray = "caml_floatarray_create"
external unsafe_sub : 'a array -> int -> int -> 'a array = "caml_array_sub"
external append : 'a array -> 'a array -> 'a array = "caml_array_append"
external concat : 'a array list -> 'a array = "caml_array_concat"
external unsafe_blit : 'a array -> int -> 'a array -> int -> int -> unit = "caml_array_blit"
external unsafe_fill : 'a array -> int -> int -> 'a -> unit = "caml_array_fill"

let attempt f = try f () with Invalid_argument m -> "Invalid_argument " ^ m | Out_of_memory -> "Out_of_memory"
let show f = print_endline (attempt f)
let summary to_string a =
  Printf.sprintf "%d tag %d %s" (Array.length a) (Obj.tag (Obj.repr a))
    (Digest.to_hex (Digest.string (String.concat "," (Array.to_list (Array.map to_string a)))))

let sizes = [ 0; 1; 2; 255; 256; 257; 300; 2000 ]

let exercise to_string of_int =
  let print a = print_endline (summary to_string a) in
  let init n = Array.init n of_int in
  List.iter (fun n ->
      let a = init n in
      print a;
      print (make n (of_int 7));
      print (Array.copy a);
      print (append a [||]); print (append [||] a); print (append a a); print (append a (init 3));
      print (concat []); print (concat [ a ]); print (concat [ [||]; a; [||]; init 5; a ]);
      print (Array.of_list (Array.to_list a));
      List.iter (fun (i, l) ->
          show (fun () -> summary to_string (Array.sub a i l));
          show (fun () -> let b = Array.copy a in Array.fill b i l (of_int (-1)); summary to_string b);
          List.iter (fun j ->
              show (fun () -> let b = Array.copy a in Array.blit b i b j l; summary to_string b);
              show (fun () -> let b = init 260 in Array.blit a i b j l; summary to_string b))
            [ 0; 1; n / 2; -1 ])
        [ 0, 0; 0, n; 1, n - 1; n, 0; n / 2, n / 3; -1, 1; 0, n + 1; n, 1; max_int, 2 ];
      List.iter (fun i ->
          show (fun () -> to_string a.(i));
          show (fun () -> a.(i) <- of_int 99; to_string a.(i)))
        [ 0; 1; n - 1; n; -1; max_int; min_int ])
    sizes

let () =
  exercise string_of_int Fun.id;
  exercise Fun.id (fun i -> "s" ^ string_of_int i);
  exercise string_of_float (fun i -> float_of_int i /. 3.);
  exercise (function None -> "none" | Some i -> string_of_int i) (fun i -> if i land 1 = 0 then None else Some i)

let () =
  (* A young element in a large array survives. *)
  let a = make 5000 (String.make 3 'q') in
  Gc.minor ();
  print_endline (a.(0) ^ a.(4999));
  assert (a.(0) == a.(4999));
  let old = make 1000 "old" in
  Gc.full_major ();
  unsafe_fill old 10 500 (String.make 2 'n');
  unsafe_blit (Array.init 300 string_of_int) 0 old 600 300;
  Gc.minor ();
  print_endline (summary Fun.id old);
  unsafe_blit old 500 old 510 480; unsafe_blit old 510 old 490 480;
  Gc.minor ();
  print_endline (summary Fun.id old);
  List.iter (fun n ->
      show (fun () -> string_of_int (Array.length (make n 0)));
      show (fun () -> string_of_int (Array.length (make n 0.)));
      show (fun () -> string_of_int (Array.length (make n "x")));
      show (fun () -> string_of_int (Array.length (make_float n)));
      show (fun () -> string_of_int (Float.Array.length (floatarray_create n))))
    [ 0; 1; -1; min_int; max_int; 1 lsl 54; (1 lsl 54) - 1; 1 lsl 60 ];
  (* Nothing looks at an empty range. *)
  unsafe_fill [||] 5 0 1; unsafe_fill [| 1. |] 5 0 1.; unsafe_blit [||] 3 [| "a" |] (-9) 0;
  unsafe_blit [| 1. |] 0 [||] 0 0; ignore (unsafe_sub [| 1 |] 77 0);
  (* Literals of unknown kind are flat if the first element is a float. *)
  let literal x y = [| x; y |] in
  Printf.printf "%d %d %d\n" (Obj.tag (Obj.repr (literal 1. 2.))) (Obj.tag (Obj.repr (literal 1 2)))
    (Obj.tag (Obj.repr (literal "a" "b")));
  let big x = [| x; x; x; x; x; x; x; x |] in
  print_endline (summary string_of_float (big 2.5));
  Printf.printf "%d\n" (Obj.tag (Obj.repr (make 3 (lazy 1.))))

let () =
  let module A = Float.Array in
  let a = A.init 300 float_of_int in
  let b = A.create 300 in
  A.blit a 0 b 10 290; A.blit b 10 b 0 290; A.fill b 290 10 0.5;
  Printf.printf "%g %g %g %d\n" (A.get b 0) (A.get b 289) (A.get b 299) (Obj.tag (Obj.repr b));
  A.set b 3 nan; A.unsafe_set b 4 infinity;
  Printf.printf "%g %g %g\n" (A.get b 3) (A.unsafe_get b 4) (A.fold_left ( +. ) 0. (A.sub a 10 20));
  show (fun () -> string_of_float (A.get a 300));
  show (fun () -> string_of_float (A.get a (-1)));
  show (fun () -> A.set a 300 1.; "set");
  show (fun () -> A.blit a 200 b 0 101; "copied");
  show (fun () -> string_of_int (A.length (A.append a (A.create 0))));
  show (fun () -> string_of_int (A.length (A.concat [ a; b; A.create 0; A.make 3 1. ])));
  show (fun () -> string_of_float (A.get (A.create 0) 0))
