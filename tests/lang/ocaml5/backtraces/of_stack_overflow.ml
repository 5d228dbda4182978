(* flags: -g *)
(* env: OCAMLRUNPARAM=b,l=10000 *)
let trace name f =
  (try ignore (f ()) with Stack_overflow -> print_endline "overflow" | _ -> print_endline "other");
  let l = String.split_on_char '\n' (Printexc.get_backtrace ()) in
  print_endline name;
  List.iteri (fun i x -> if i < 4 || i > List.length l - 4 then print_endline x) l
let rec one n = 1 + one (n + 1)
let rec two a b = 1 + two (a + 1) b
let rec three a b c = 1 + three c b (a + 1)
let rec call f x = 1 + f (call f) x
let rec rec_list = function [] -> [] | x :: l -> let y = rec_list l in x :: y
class c = object (self) method m n = 1 + self#m (n + 1) end
let rec ev n = if n = 0 then true else not (od (n - 1)) and od n = if n = 0 then false else not (ev (n - 1))
let () =
  trace "one" (fun () -> one 0);
  trace "two" (fun () -> two 0 0);
  trace "three" (fun () -> three 0 0 0);
  trace "call" (fun () -> call (fun g x -> g x) 1);
  trace "list" (fun () -> List.length (rec_list (List.init 100000 (fun x -> x))));
  trace "method" (fun () -> (new c)#m 1);
  trace "map" (fun () -> List.length (List.map succ (List.init 100000 (fun x -> x))));
  trace "fold_right" (fun () -> (List.fold_right (+) (List.init 100000 (fun x -> x)) 0));
  trace "raise" (fun () -> raise Stack_overflow);
  trace "reraise" (fun () -> try one 0 with e -> raise e);
  trace "finally" (fun () -> Fun.protect ~finally:ignore (fun () -> two 0 0));
  trace "partial" (fun () -> let rec p a b = 1 + (List.hd [p (a+1)]) b in p 0 0)
open Effect.Deep
let () = trace "in a fiber" (fun () -> match_with (fun () -> two 1 1) () {retc = Fun.id; exnc = raise; effc = fun _ -> None});
  trace "in a handler" (fun () -> try_with (fun () -> 1 + one 0) () {effc = fun _ -> None})
let () = ignore (two 1 1)
