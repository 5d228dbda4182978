(* env: OCAMLRUNPARAM=l=5000 *)
(* S8: in each fiber a recursion goes as deep as the limit allows, whatever the stacks outside
   hold. *)
open Effect
open Effect.Deep
type _ Effect.t += Yield : int -> unit Effect.t
let depth = ref 0
let rec one n = depth := n; 1 + one (n + 1)
let rec two a b = depth := a; 1 + two (a + 1) b
let rec seven a b c d e f g = depth := a; 1 + seven (a + 1) b c d e f g
let rec folded n = depth := n; List.fold_left (fun sum _ -> sum + folded (n + 1)) 0 [ 1 ]
let rec handled n = depth := n; try 1 + handled (n + 1) with Not_found -> 3
let o = object (self) method sent n : int = depth := n; 1 + self#sent (n + 1) end
let in_fiber f x = match_with f x { retc = Fun.id; exnc = raise; effc = (fun _ -> None) }
let reach f x = (try ignore (f x) with Stack_overflow -> ()); !depth
let all around =
  List.iter (fun (name, f) -> Printf.printf " %s %d" name (reach (around f) 0))
    [ "one", one; "two", two 0; "seven", seven 0 0 0 0 0 0; "folded", folded; "handled", handled;
      "sent", o#sent ];
  print_newline ()
let rec at n f x = if n = 0 then f x else 1 + at (n - 1) f x
let set_limit n = Gc.set { (Gc.get ()) with Gc.stack_limit = n }
(* A generator that goes down, and overflows after it was suspended at each of the steps. *)
let generator step =
  let next = ref (fun () -> ()) in
  let rec down n = depth := n; if n mod step = 0 then perform (Yield n); 1 + down (n + 1) in
  next := (fun () ->
    match_with down 0
      { retc = ignore;
        exnc = (function Stack_overflow -> next := (fun () -> raise Exit) | e -> raise e);
        effc = (fun (type a) (e : a Effect.t) ->
          match e with
          | Yield _ -> Some (fun (k : (a, _) continuation) -> next := continue k)
          | _ -> None) });
  let rec drain n = !next (); drain (n + 1) in
  (try drain 0 with Exit -> ());
  Printf.printf " %d" !depth
(* Fibers inside each other, each with some frames. *)
let rec nest n frames =
  if n = 0 then 0 else in_fiber (at frames (fun n -> 1 + nest (n - 1) frames)) n
let rec overflow_in_each n =
  if n > 0 then in_fiber (fun n ->
    Printf.printf " %d" (reach one 0); at 100 overflow_in_each (n - 1);
    Printf.printf " %d" (reach two_0 0)) n |> ignore;
  n
and two_0 n = two n 0
let () =
  List.iter (fun limit ->
    set_limit limit;
    Printf.printf "limit %d\n" (Gc.get ()).Gc.stack_limit;
    all (fun f x -> f x); all in_fiber; all (fun f -> in_fiber (in_fiber f));
    all (at 300); all (fun f x -> at 300 (in_fiber f) x);
    all (fun f x -> in_fiber (at 300 (in_fiber f)) x);
    List.iter generator [ 1; 7; 100; 1000; 3000 ]; print_newline ();
    Printf.printf "%d\n" (nest 200 5); Printf.printf "%d\n" (nest 50 100);
    ignore (overflow_in_each 5); print_newline ();
    all (fun f x -> f x))
    [ 5000; 1000; 30_000; 66_000; 70_001; 135_000 ];
  let set n () = set_limit n; Printf.printf "%d\n" (Gc.get ()).Gc.stack_limit; 0 in
  ignore (in_fiber (at 10 (set 1)) ());
  ignore (at 20 (in_fiber (at 10 (set 2))) ())
