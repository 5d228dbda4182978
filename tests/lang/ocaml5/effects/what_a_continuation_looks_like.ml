(* Tag, size, comparison, hash, marshalling of a continuation, before and after its use. *)
open Effect.Deep
type _ Effect.t += Ask : int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n")
let show name f = match f () with s -> say "%s: %s" name s | exception e -> say "%s: %s" name (Printexc.to_string e)
let capture () =
  let kept : (int, int) continuation option ref = ref None in
  ignore (match_with (fun () -> Effect.perform Ask + 1) () { retc = Fun.id; exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with
      | Ask -> Some (fun (k : (a, int) continuation) -> kept := Some k; 0) | _ -> None) });
  Option.get !kept
let look k =
  let r = Obj.repr k in
  show "tag and size" (fun () -> Printf.sprintf "%d %d" (Obj.tag r) (Obj.size r));
  show "a block" (fun () -> string_of_bool (Obj.is_block r));
  show "field 0 is an int" (fun () -> string_of_bool (Obj.is_int (Obj.field r 0)));
  show "used" (fun () -> string_of_bool (Obj.field r 0 == Obj.repr 0));
  show "compare with itself" (fun () -> string_of_int (compare k k));
  show "equal to itself" (fun () -> string_of_bool (k = k));
  show "same" (fun () -> string_of_bool (k == k));
  show "less" (fun () -> string_of_bool (k < k));
  show "in a pair" (fun () -> string_of_int (compare (1, k) (1, k)));
  show "in different pairs" (fun () -> string_of_int (compare (1, k) (2, k)));
  show "hash" (fun () -> string_of_int (Hashtbl.hash k));
  show "hash of a pair" (fun () -> string_of_int (Hashtbl.hash (1, k)));
  show "marshal" (fun () -> string_of_int (String.length (Marshal.to_string k [])));
  show "marshal with closures" (fun () -> string_of_int (String.length (Marshal.to_string [Some k] [Marshal.Closures])));
  show "reachable words" (fun () -> string_of_int (Obj.reachable_words r));
  show "structurally equal to an int" (fun () -> string_of_int (compare (Obj.repr 3) r))
let () =
  say "-- fresh";
  let k = capture () in
  look k;
  let k' = capture () in
  show "two" (fun () -> string_of_int (compare k k'));
  say "-- used";
  say "%d" (continue k 10);
  look k;
  say "%d" (continue k' 11)
