(* ocaml: 5.4 *)
(* Float.Array.concat, Sys of 5.4, Gc.ramp_up. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)
external fconcat : floatarray list -> floatarray = "caml_floatarray_concat"
external uconcat : 'a array list -> 'a array = "caml_uniform_array_concat"
external convert : int -> int = "caml_sys_convert_signal_number"
external rev_convert : int -> int = "caml_sys_rev_convert_signal_number"
external temp_dir_name : unit -> string = "caml_sys_temp_dir_name"
external getenv_opt : string -> string option = "caml_sys_getenv_opt"
external up : (unit -> 'a) -> 'a * int = "caml_ml_gc_ramp_up"
external down : int -> unit = "caml_ml_gc_ramp_down"
let tag x = Obj.tag (Obj.repr x)
let size x = Obj.size (Obj.repr x)
let () =
  let f n = Float.Array.init n float_of_int in
  List.iter (fun l -> let c = fconcat (List.map f l) in p "%d %d %g" (tag c) (size c) (Float.Array.fold_left ( +. ) 0. c))
    [ []; [ 0 ]; [ 1 ]; [ 0; 0 ]; [ 2; 3; 0; 4 ]; [ 300; 1; 300 ]; [ 10; 100; 1000 ] ];
  List.iter (fun l -> let c = uconcat (List.map (fun n -> Array.init n (fun i -> [ i ])) l) in p "%d %d" (tag c) (size c))
    [ []; [ 0 ]; [ 1 ]; [ 0; 0 ]; [ 2; 3; 0; 4 ]; [ 300; 1; 300 ]; [ 10; 100; 1000 ] ];
  let big = uconcat (List.init 100 (fun i -> Array.init 100 (fun j -> [ i; j ]))) in
  Gc.full_major ();
  p "%d" (Array.fold_left (fun s l -> s + List.hd l) 0 big);
  p "%d" (Float.Array.length (Float.Array.concat [ f 3; f 4 ]))

let () =
  List.iter (fun n -> p "signal %d: %d %d" n (convert n) (rev_convert n)) [ 0; 1; 2; 9; 10; 12; 64; 65; -1; -6; -12; -20; -28; -29; -30; -100; 1000 ];
  p "%s" (Sys.signal_to_string Sys.sigint);
  p "%d %d" (Sys.signal_to_int Sys.sigterm) (Sys.signal_of_int 15);
  attempt "of_int -5" (fun () -> string_of_int (Sys.signal_of_int (-5)));
  attempt "to_int -500" (fun () -> string_of_int (Sys.signal_to_int (-500)));
  p "%d" Sys.io_buffer_size;
  p "%s %s" (temp_dir_name ()) (Filename.get_temp_dir_name ());
  attempt "getenv_opt" (fun () -> match getenv_opt "NO_SUCH_VARIABLE_Y" with None -> "none" | Some s -> s);
  attempt "getenv_opt nul" (fun () -> match getenv_opt "PATH\000" with None -> "none" | Some s -> s);
  attempt "getenv_opt PATH" (fun () -> match getenv_opt "PATH" with None -> "none" | Some s -> string_of_bool (s = Sys.getenv "PATH"))

let () =
  let x, work = up (fun () -> List.length (List.init 100000 (fun i -> i))) in
  p "%d %b" x (work >= 0);
  down work;
  down 0;
  attempt "exception" (fun () -> fst (up (fun () -> failwith "inside")));
  attempt "nested" (fun () -> let (a, _), _ = up (fun () -> up (fun () -> "inner")) in a);
  let a, w = Gc.ramp_up (fun () -> Array.make 1000 [ 1 ]) in
  Gc.ramp_down w;
  Gc.full_major ();
  p "%d" (Array.length a)
