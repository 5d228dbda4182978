type t = { a : int; b : (string * char) option; c : t list }

let f = function
  | { a = 0; _ } -> "zero"
  | { a = (1 | 2 | 3) as n; b = None; _ } -> Printf.sprintf "small %d" n
  | { b = Some (("x" | "y") as s, ('a' .. 'f' as c)); _ } -> Printf.sprintf "%s%c" s c
  | { b = Some (s, _); c = [ { a; _ } ]; _ } when a > 10 -> Printf.sprintf "%s one big %d" s a
  | { c = { a = x; _ } :: { a = y; _ } :: _; _ } when x = y -> "equal heads"
  | { c = _ :: _ :: _ :: _; _ } -> "three or more"
  | { a; c = []; _ } when a < 0 -> "negative leaf"
  | _ -> "other"

let g = function
  | [| |] -> "empty" | [| x |] -> "one " ^ x | [| x; y |] -> x ^ y | [| _; _;
      z |] -> "third " ^ z | _ -> "long"

let h = function
  | (1, _, 'a'), [ 1; 2 ] -> 1
  | (_, "s", _), [] -> 2
  | (n, _, ('b' | 'c')), (x :: _ as l) -> n + x + List.length l
  | (_, _, '\255'), _ -> 4
  | _, [ _; _; _ ] -> 5
  | ((n, _, _), _) -> n

let () =
  let leaf a = { a; b = None; c = [] } in
  List.iter (fun t -> print_endline (f t))
    [ leaf 0; leaf 2; { (leaf 9) with b = Some ("x", 'b') }; { (leaf 9) with b = Some ("z", 'b');
        c = [ leaf 11 ] };
      { (leaf 4) with c = [ leaf 1; leaf 1 ] }; { (leaf 4) with c = [ leaf 1; leaf 2; leaf 3 ] };
          leaf (-1); leaf 44 ];
  List.iter (fun a -> print_endline (g a)) [ [||]; [| "1" |]; [| "1"; "2" |]; [| "1"; "2";
      "3" |]; Array.make 9 "" ];
  List.iter (fun x -> Printf.printf "%d " (h x))
    [ ((1, "", 'a'), [ 1; 2 ]); ((5, "s", 'z'), []); ((5, "", 'c'), [ 7; 8 ]); ((6, "", '\255'),
        [ 1 ]);
      ((7, "", 'x'), [ 1; 2; 3 ]); ((8, "", 'x'), [ 9 ]) ];
  let (x, { contents = y }), [ z ] = (1, ref 2), [ 3 ] [@@warning "-8"] in
  Printf.printf "%d\n" (x + y + z)
