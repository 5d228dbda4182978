let attempt name f = match f () with
  | _ -> Printf.printf "%s returned\n" name
  | exception Invalid_argument s -> Printf.printf "%s: Invalid_argument %s\n" name s
  | exception Out_of_memory -> Printf.printf "%s: Out_of_memory\n" name
  | exception Failure s -> Printf.printf "%s: Failure %s\n" name s

let () =
  attempt "array" (fun () -> Obj.repr (Array.make max_int 0));
  attempt "array limit" (fun () -> Obj.repr (Array.make (Sys.max_array_length + 1) 0));
  attempt "float array" (fun () -> Obj.repr (Array.make max_int 0.0));
  attempt "create_float" (fun () -> Obj.repr (Array.create_float max_int));
  attempt "floatarray" (fun () -> Obj.repr (Float.Array.create max_int));
  attempt "bytes" (fun () -> Obj.repr (Bytes.create max_int));
  attempt "string" (fun () -> Obj.repr (String.make max_int 'x'));
  attempt "huge bytes" (fun () -> Obj.repr (Bytes.create (1 lsl 50)));
  attempt "huge array" (fun () -> Obj.repr (Array.make (1 lsl 50) 0));
  attempt "weak" (fun () -> Obj.repr (Weak.create max_int));
  attempt "buffer" (fun () -> Obj.repr (Buffer.create max_int));
  attempt "bigarray" (fun () -> Obj.repr (Bigarray.Array1.create Bigarray.char Bigarray.c_layout
      max_int));
  attempt "bigarray 2" (fun () -> Obj.repr (Bigarray.Array2.create Bigarray.int Bigarray.c_layout
      (1 lsl 31) (1 lsl 31)));
  attempt "concat" (fun () -> Obj.repr (String.concat "x" []));
  attempt "sub" (fun () -> Obj.repr (Array.sub [| 1; 2 |] 1 max_int));
  attempt "list" (fun () -> Obj.repr (List.init (-1) Fun.id));
  attempt "matrix" (fun () -> Obj.repr (Array.make_matrix 2 (-1) 0));
  attempt "bigarray char" (fun () -> Obj.repr (Bigarray.Array1.create Bigarray.char
      Bigarray.c_layout (1 lsl 50)))
