(* B1, B2, B3: sub, slice, reshape, change_layout; dimensions that are refused; 8-bit vectors read as bigger numbers. *)
open Bigarray
let attempt name f = match f () with s -> Printf.printf "%s: %s\n" name s | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)
let dims g = "[" ^ String.concat ";" (Array.to_list (Array.map string_of_int (Genarray.dims g))) ^ "]"
let elements g =
  let n = Array.fold_left ( * ) 1 (Genarray.dims g) in
  let base = if Genarray.layout g = Obj.magic fortran_layout then 1 else 0 in
  let a = reshape_1 g n in
  String.concat "," (List.init n (fun i -> string_of_int a.{i + base}))

let make layout d =
  let g = Genarray.create int layout d in
  let n = Array.fold_left ( * ) 1 d in
  let a = reshape_1 g n in
  let base = if Genarray.layout g = Obj.magic fortran_layout then 1 else 0 in
  for i = 0 to n - 1 do a.{i + base} <- i done;
  g

let () =
  let c = make c_layout [| 3; 4; 2 |] and f = make fortran_layout [| 3; 4; 2 |] in
  List.iter (fun (o, n) ->
      attempt (Printf.sprintf "sub_left %d %d" o n) (fun () -> let s = Genarray.sub_left c o n in dims s ^ elements s);
      attempt (Printf.sprintf "sub_right %d %d" o n) (fun () -> let s = Genarray.sub_right f o n in dims s ^ elements s))
    [ 0, 3; 0, 0; 1, 2; 2, 1; 3, 0; 3, 1; 0, 4; -1, 1; 1, -1; 1, 1; 2, 2; max_int, 1; 1, max_int ];
  List.iter (fun i ->
      let name = String.concat ";" (Array.to_list (Array.map string_of_int i)) in
      attempt ("slice_left " ^ name) (fun () -> let s = Genarray.slice_left c i in dims s ^ elements s);
      attempt ("slice_right " ^ name) (fun () -> let s = Genarray.slice_right f i in dims s ^ elements s))
    [ [||]; [| 0 |]; [| 1 |]; [| 2 |]; [| 3 |]; [| 1; 1 |]; [| 2; 3; 1 |]; [| 3; 2; 1 |]; [| -1 |]; [| 1; 2; 3; 4 |]; [| 1; 9 |] ];
  List.iter (fun d ->
      let name = String.concat ";" (Array.to_list (Array.map string_of_int d)) in
      attempt ("reshape " ^ name) (fun () -> let s = reshape c d in dims s ^ elements s);
      attempt ("create " ^ name) (fun () -> dims (Genarray.create char c_layout d)))
    [ [| 24 |]; [| 2; 12 |]; [| 4; 3; 2; 1 |]; [| 5 |]; [||]; [| -1 |]; [| -24; -1 |]; [| 0 |]; Array.make 16 1; Array.make 17 1; Array.make 5 2 ];
  attempt "huge" (fun () -> dims (Genarray.create int c_layout [| max_int; 2 |]));
  attempt "huge bytes" (fun () -> dims (Genarray.create int c_layout [| max_int |]));
  attempt "huge product" (fun () -> dims (Genarray.create char c_layout [| 1 lsl 32; 1 lsl 32 |]));
  attempt "change_layout" (fun () -> let s = Genarray.change_layout c fortran_layout in
                            let v = dims s ^ elements s in v ^ string_of_int (Genarray.get s [| 1; 3; 2 |]));
  attempt "change to the same" (fun () -> string_of_bool (Genarray.change_layout c c_layout == c));
  attempt "layouts" (fun () -> string_of_bool (Genarray.layout c = c_layout) ^ string_of_bool (Genarray.kind c = int));
  attempt "num_dims" (fun () -> string_of_int (Genarray.num_dims c));
  List.iter (fun n -> attempt (Printf.sprintf "nth_dim %d" n) (fun () -> string_of_int (Genarray.nth_dim c n))) [ 0; 2; 3; -1 ];
  (* writing through a view *)
  let s = Genarray.sub_left c 1 1 in
  Genarray.set s [| 0; 0; 0 |] 1000;
  attempt "written" (fun () -> string_of_int (Genarray.get c [| 1; 0; 0 |]));
  let s2 = Genarray.slice_left (Genarray.slice_left c [| 1 |]) [| 0 |] in
  Gc.full_major ();
  attempt "view of a view" (fun () -> dims s2 ^ elements s2);
  attempt "marshalled view" (fun () -> Digest.to_hex (Digest.string (Marshal.to_string s2 [])));
  attempt "blit" (fun () -> Genarray.blit (Genarray.sub_left c 0 1) s; elements c);
  attempt "overlap" (fun () -> Array1.blit (Array1.sub (reshape_1 c 24) 0 20) (Array1.sub (reshape_1 c 24) 4 20); elements c);
  attempt "blit of other dimensions" (fun () -> Genarray.blit c (Genarray.sub_left c 0 1); "");
  attempt "blit of other shape" (fun () -> Genarray.blit c (reshape c [| 24 |]); "");
  attempt "get" (fun () -> string_of_int (Genarray.get c [| 1; 1 |]));
  attempt "set" (fun () -> Genarray.set c [| 1; 1; 1; 1 |] 1; "");
  attempt "get bounds" (fun () -> string_of_int (Genarray.get c [| 1; 4; 1 |]));
  let zero = Array0.of_value int64 c_layout 77L in
  attempt "dimension 0" (fun () -> Int64.to_string (Array0.get zero) ^ dims (genarray_of_array0 zero) ^ string_of_int (Hashtbl.hash zero) ^ string_of_int (Hashtbl.hash zero))

let () =
  let m = Array2.of_array int c_layout [| [| 1; 2; 3 |]; [| 4; 5; 6 |] |] in
  let row = Array2.slice_left m 1 in
  Printf.printf "%d %d %d %d %d\n" row.{2} (Array2.dim1 m) (Array2.dim2 m) (Array1.dim row) m.{0, 2};
  let t = Array3.init float32 fortran_layout 2 3 4 (fun i j k -> float_of_int (i * 100 + j * 10 + k)) in
  Printf.printf "%g %g %d %d %d\n" t.{2, 3, 4} (Array3.slice_right_1 t 2 3).{1} (Array3.dim1 t) (Array3.dim2 t) (Array3.dim3 t);
  attempt "of_genarray" (fun () -> ignore (array2_of_genarray (genarray_of_array3 t)); "");
  attempt "array2 bounds" (fun () -> string_of_int m.{2, 0});
  attempt "array2 bounds" (fun () -> string_of_int m.{0, 3});
  attempt "array3 bounds" (fun () -> string_of_float t.{0, 1, 1})

external get16 : (char, int8_unsigned_elt, c_layout) Array1.t -> int -> int = "%caml_bigstring_get16"
external get32 : (char, int8_unsigned_elt, c_layout) Array1.t -> int -> int32 = "%caml_bigstring_get32"
external get64 : (char, int8_unsigned_elt, c_layout) Array1.t -> int -> int64 = "%caml_bigstring_get64"
external set16 : (char, int8_unsigned_elt, c_layout) Array1.t -> int -> int -> unit = "%caml_bigstring_set16"
external set32 : (char, int8_unsigned_elt, c_layout) Array1.t -> int -> int32 -> unit = "%caml_bigstring_set32"
external set64 : (char, int8_unsigned_elt, c_layout) Array1.t -> int -> int64 -> unit = "%caml_bigstring_set64"

let () =
  let a = Array1.init char c_layout 10 (fun i -> Char.chr (i * 29 land 255)) in
  for i = -2 to 11 do
    attempt (Printf.sprintf "get16 %d" i) (fun () -> Printf.sprintf "%x" (get16 a i));
    attempt (Printf.sprintf "get32 %d" i) (fun () -> Printf.sprintf "%lx" (get32 a i));
    attempt (Printf.sprintf "get64 %d" i) (fun () -> Printf.sprintf "%Lx" (get64 a i));
    attempt (Printf.sprintf "set16 %d" i) (fun () -> set16 a i 0x12345; "");
    attempt (Printf.sprintf "set32 %d" i) (fun () -> set32 a i 0xDEADBEEFl; "");
    attempt (Printf.sprintf "set64 %d" i) (fun () -> set64 a i 0x123456789ABCDEFL; "")
  done;
  print_endline (String.concat "" (List.init 10 (fun i -> Printf.sprintf "%02x" (Char.code a.{i}))))

(* Many views come and go; the elements stay as long as one is left. *)
let () =
  let keep = ref [] in
  for i = 1 to 2000 do
    let a = Array1.create float64 c_layout 1000 in
    Array1.fill a (float_of_int i);
    let v = Array1.sub a (i mod 500) 100 in
    if i mod 50 = 0 then keep := v :: !keep
  done;
  Gc.full_major ();
  List.iter (fun v -> Printf.printf "%g " v.{99}) !keep;
  print_newline ()
