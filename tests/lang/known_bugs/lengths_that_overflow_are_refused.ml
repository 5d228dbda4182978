(* Sizes whose sum or product leaves the range of an integer (#805, #810, #814, #833, #934, #11118). *)
open Bigarray
let attempt name f =
  Printf.printf "%s: %s\n" name
    (match f () with () -> "done" | exception e -> Printexc.to_string e)

let () =
  let b = Bytes.make 10 'x' and big = max_int in
  let try_ name f = attempt name (fun () -> ignore (Sys.opaque_identity (f ()))) in
  try_ "extend 1" (fun () -> Bytes.extend b big big);
  try_ "extend 2" (fun () -> Bytes.extend b big 0);
  try_ "extend 3" (fun () -> Bytes.extend b 0 big);
  try_ "extend 4" (fun () -> Bytes.extend b min_int min_int);
  try_ "extend 5" (fun () -> Bytes.extend b (-5) (-6));
  try_ "extend 6" (fun () -> print_string (Bytes.to_string (Bytes.extend b (-3) (-7))));
  try_ "create" (fun () -> Bytes.create big);
  try_ "create max" (fun () -> Bytes.create (Sys.max_string_length + 1));
  try_ "make" (fun () -> String.make min_int 'x');
  try_ "init" (fun () -> String.init big (fun _ -> 'x'));
  try_ "sub" (fun () -> Bytes.sub b 1 big);
  try_ "sub 2" (fun () -> Bytes.sub b big 1);
  try_ "sub 3" (fun () -> String.sub "abc" 2 (big - 1));
  try_ "blit" (fun () -> Bytes.blit b 1 b 0 big);
  try_ "blit 2" (fun () -> Bytes.blit_string "abc" big b big 1);
  try_ "fill" (fun () -> Bytes.fill b 2 big 'x');
  try_ "array" (fun () -> Array.make big 0);
  try_ "array max" (fun () -> Array.make (Sys.max_array_length + 1) 0);
  try_ "floats" (fun () -> Array.create_float big);
  try_ "floats max" (fun () -> Array.make (Sys.max_array_length + 1) 0.);
  try_ "array sub" (fun () -> Array.sub [| 1; 2 |] 1 big);
  try_ "array fill" (fun () -> Array.fill [| 1; 2 |] 1 big 0);
  try_ "array blit" (fun () -> Array.blit [| 1; 2 |] 1 [| 1 |] 0 big);
  try_ "matrix" (fun () -> Array.make_matrix big 2 0);
  let buffer = Buffer.create 10 in
  try_ "buffer sub" (fun () -> Buffer.add_substring buffer "abc" 2 big);
  try_ "buffer bytes" (fun () -> Buffer.add_subbytes buffer b big 2);
  try_ "buffer part" (fun () -> Buffer.sub buffer 0 big);
  try_ "buffer blit" (fun () -> Buffer.blit buffer 1 b 0 big);
  try_ "buffer truncate" (fun () -> Buffer.truncate buffer big);
  try_ "output" (fun () -> output stdout b 1 big);
  try_ "output 2" (fun () -> output_substring stdout "abc" big 1);
  try_ "input" (fun () -> input stdin b 1 big);
  try_ "really" (fun () -> really_input_string stdin big);
  try_ "digest" (fun () -> Digest.substring "abc" 1 big);
  try_ "weak" (fun () -> (Weak.create big : int ref Weak.t));
  try_ "weak fill" (fun () -> Weak.fill (Weak.create 3 : int ref Weak.t) 1 big None);
  try_ "weak blit" (fun () -> Weak.blit (Weak.create 3 : int ref Weak.t) 1 (Weak.create 3) big 1);
  try_ "int64 at" (fun () -> Bytes.get_int64_le b big);
  try_ "int64 at 2" (fun () -> Bytes.get_int64_le b (-8));
  try_ "int16 at" (fun () -> Bytes.set_int16_le b 9 1)

let () =
  let a = Array1.create int c_layout 4 and m = Array2.create char c_layout 3 5 in
  let g = Genarray.create float64 fortran_layout [| 2; 3; 4 |] in
  Array1.fill a 7; Array2.fill m 'm'; Genarray.fill g 1.5;
  List.iter
    (fun i ->
      attempt "a.{i}" (fun () -> print_int a.{i});
      attempt "a.{i} <-" (fun () -> a.{i} <- 1);
      attempt "m.{i, 0}" (fun () -> print_char m.{i, 0});
      attempt "m.{0, i}" (fun () -> print_char m.{0, i});
      attempt "g.{i, 1, 1}" (fun () -> print_float (Genarray.get g [| i; 1; 1 |]));
      attempt "g.{1, 1, i} <-" (fun () -> Genarray.set g [| 1; 1; i |] 2.5);
      attempt "slice" (fun () -> ignore (Array2.slice_left m i));
      attempt "sub" (fun () -> ignore (Array1.sub a 1 i));
      attempt "sub 2" (fun () -> ignore (Array1.sub a i 1));
      attempt "sub_right" (fun () -> ignore (Genarray.sub_right g i 2)))
    [ max_int; min_int; -1; 1 lsl 61; 1 lsl 32; (1 lsl 62) - 4; 2 ];
  List.iter
    (fun dims ->
      attempt "create" (fun () ->
          ignore (Genarray.create float64 c_layout dims)))
    [ [| max_int |]; [| 1 lsl 40; 1 lsl 40 |]; [| -1 |]; [| 1 lsl 31; 1 lsl 31; 1 lsl 31 |];
      [| 0; max_int |]; Array.make 17 1; [||] ]
