(* A copy of a continuation keeps its computation, after the collector has freed the original, too.
   (Using both crashes the real 5.3.) *)
open Effect
open Effect.Deep

type _ Effect.t += Ask : int -> int Effect.t

let with_k (handle : int -> (int, int) continuation -> int) f =
  match_with f ()
    { retc = Fun.id; exnc = raise;
      effc = fun (type a) (e : a Effect.t) ->
        match e with
        | Ask x -> Some (fun (k : (a, _) continuation) -> handle x k)
        | _ -> None }

let copy k = Obj.obj (Obj.dup (Obj.repr k))
let churn () = for i = 1 to 100_000 do ignore (Sys.opaque_identity (ref i)) done

let () =
  let body () = let x = String.make 3 'x' in String.length x + perform (Ask 1) in
  let show name handle = Printf.printf "%s: %d\n" name (with_k handle body) in
  show "the copy alone" (fun x k -> let c = copy k in churn (); continue c (x + 10));
  show "after a minor collection"
    (fun x k -> let c = copy k in Gc.minor (); continue c (x + 20));
  show "after a major collection"
    (fun x k -> let c = copy k in Gc.full_major (); continue c (x + 30));
  show "a copy of a promoted one"
    (fun x k -> Gc.minor (); let c = copy k in Gc.full_major (); continue c (x + 40));
  let kept = ref [] in
  for i = 1 to 500 do
    ignore (with_k (fun x k -> kept := copy k :: !kept; x) (fun () -> i + perform (Ask i)))
  done;
  churn ();
  Gc.full_major ();
  Printf.printf "%d\n" (List.fold_left (fun sum k -> sum + continue k 1) 0 !kept)
