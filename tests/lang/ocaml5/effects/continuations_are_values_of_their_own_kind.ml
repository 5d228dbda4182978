open Effect
open Effect.Deep

type _ Effect.t += E : int t

let show name f =
  match f () with
  | n -> Printf.printf "%s: %d\n" name n
  | exception e -> Printf.printf "%s raised %s\n" name (Printexc.to_string e)

let capture () : (int, int) continuation =
  let kept = ref None in
  ignore (match_with (fun () -> perform E) () { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | E -> Some (fun (k : (a, int) continuation) -> kept := Some (k : (int, int) continuation); 0)
      | _ -> None });
  Option.get !kept

let () =
  let k = capture () and other = capture () in
  let bool b = if b then 1 else 0 in
  show "compare with itself" (fun () -> compare k k);
  show "equal to itself" (fun () -> bool (k = k));
  show "compare" (fun () -> compare k other);
  show "physically equal" (fun () -> bool (k == k) + (2 * bool (k == other)));
  show "hash" (fun () -> Hashtbl.hash k);
  show "hash of a pair" (fun () -> bool (Hashtbl.hash (k, 1) = Hashtbl.hash (other, 1)));
  show "marshal" (fun () -> String.length (Marshal.to_string k []));
  show "marshal with closures" (fun () -> String.length (Marshal.to_string k [ Marshal.Closures ]));
  let o = Obj.repr k in
  show "tag" (fun () -> Obj.tag o);
  show "size" (fun () -> Obj.size o);
  show "reachable" (fun () -> Obj.reachable_words o);
  show "continue" (fun () -> continue k 3);
  show "emptied" (fun () -> bool (Obj.is_int (Obj.field o 0)) + (2 * bool (Obj.field o 0 == Obj.repr 0)));
  show "continue the other" (fun () -> continue other 4)
