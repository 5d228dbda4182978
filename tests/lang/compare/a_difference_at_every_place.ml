(* Pairs of equal trees of all shapes, then with one leaf changed: what comes before and after it, on
   the way down and back up, must not decide. *)
type tree =
  | Int of int
  | Float of float
  | Text of string
  | One of tree
  | Two of tree * tree
  | Three of tree * int * tree
  | Many of tree array
  | Wide of int * string * tree * int64 * float array
  | Lazy of tree Lazy.t

let state = ref 17
let random n = state := ((!state * 1103515245) + 12345) land 0x3fffffff; !state lsr 8 mod n

(* Leaves count down to 0, which is the one that differs. *)
let rec make shapes leaf depth =
  let sub () = make shapes leaf (depth - 1) in
  let shape = if depth = 0 then 0 else List.nth shapes (random (List.length shapes)) in
  match shape with
  | 1 -> One (sub ())
  | 2 -> let a = sub () in Two (a, sub ())
  | 3 -> let a = sub () in Three (a, random 3, sub ())
  | 4 -> Many (Array.init (random 4) (fun _ -> sub ()))
  | 5 -> let a = sub () in Wide (random 2, "w", a, Int64.of_int (random 3), [| 1.5; float_of_int (random 2) |])
  | 6 -> let a = sub () in let l = lazy (Sys.opaque_identity a) in ignore (Lazy.force l); Lazy l
  | _ -> leaf ()

let plain () = match random 3 with 0 -> Int (random 5) | 1 -> Float (float_of_int (random 5)) | _ -> Text (String.make (random 20) 'x')

let build seed shapes changed place =
  state := seed;
  let left = ref place in
  let leaf () = let l = plain () in decr left; if !left = -1 then changed l else l in
  make shapes leaf 5

let results a b =
  let sign f = match f a b with r -> string_of_int r | exception Invalid_argument m -> m in
  let bool f = sign (fun a b -> Bool.to_int (f a b)) in
  String.concat " "
    [ sign compare; bool ( = ); bool ( <> ); bool ( < ); bool ( <= ); bool ( > ); bool ( >= );
      string_of_bool (Hashtbl.hash a = Hashtbl.hash b) ]

let changes =
  [ "same", (fun l -> l); "int", (fun _ -> Int 7); "nan", (fun _ -> Float nan); "text", (fun _ -> Text "y");
    "one", (fun l -> One l); "none", (fun _ -> Many [||]); "forced", (fun l -> Lazy (Lazy.from_val l));
    "function", (fun _ -> Obj.magic [| (fun x -> x) |]); "immediate", (fun _ -> Obj.magic 3) ]

let () =
  List.iteri
    (fun seed shapes ->
      List.iter
        (fun (name, change) ->
          for place = 0 to 11 do
            let a = build seed shapes (fun l -> l) (-1) and b = build seed shapes change place in
            Printf.printf "%d %s %d: %s | %s | %s\n" seed name place (results a b) (results b a) (results b b)
          done)
        changes)
    [ [ 1; 2 ]; [ 2 ]; [ 2; 3 ]; [ 4; 1 ]; [ 5; 2 ]; [ 6; 2 ]; [ 1; 2; 3; 4; 5; 6 ]; [ 4; 5; 6 ]; [ 3; 4; 0 ] ]
