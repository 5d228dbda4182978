let () =
  let ints = [ min_int; -1; 0; 1; max_int ] in
  List.iter (fun (a : int) -> List.iter (fun (b : int) ->
      Printf.printf "%d%b%b " (compare a b) (min a b = a) (max a b = a)) ints) ints;
  let i32 = [ Int32.min_int; 0l; 1l ] and i64 = [ Int64.min_int; 0L; 1L ] and nat = [ -1n; 0n;
      1n ] in
  List.iter (fun (a : int32) -> List.iter (fun (b : int32) ->
      Printf.printf "%d%b%b%b%b%b%b " (compare a b) (a = b) (a <> b) (a < b) (a > b) (a <= b) (a
          >= b)) i32) i32;
  List.iter (fun (a : int64) -> List.iter (fun (b : int64) ->
      Printf.printf "%d%b%b%b%b%b%b " (compare a b) (a = b) (a <> b) (a < b) (a > b) (a <= b) (a
          >= b)) i64) i64;
  List.iter (fun (a : nativeint) -> List.iter (fun (b : nativeint) ->
      Printf.printf "%d%b%b%b%b%b%b " (compare a b) (a = b) (a <> b) (a < b) (a > b) (a <= b) (a
          >= b)) nat) nat;
  List.iter (fun (a : float) -> List.iter (fun (b : float) -> Printf.printf "%d " (compare a b))
      [ nan; 0.0; -0.0; infinity ]) [ nan; 0.0; -0.0; infinity ];
  List.iter (fun (a : bool) -> List.iter (fun (b : bool) -> Printf.printf "%d%b " (compare a b)
      (a <= b))
      [ true; false ]) [ true; false ];
  Printf.printf "%d %d\n" (compare 'a' 'b') (compare () ())
