(* A continuation resumed in another function, inside another handler, in another fiber, at_exit. *)
open Effect.Deep
type _ Effect.t += Give : int Effect.t | Other : int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n%!")
let store : (int, int) continuation Queue.t = Queue.create ()
let giving f = match_with f () { retc = (fun n -> say "giving retc %d" n; n); exnc = (fun e -> say "giving exnc"; raise e);
  effc = (fun (type a) (e : a Effect.t) -> match e with
    | Give -> Some (fun (k : (a, int) continuation) -> Queue.push k store; 0) | _ -> None) }
let other v f = match_with f () { retc = (fun n -> say "other %d retc %d" v n; n); exnc = raise;
  effc = (fun (type a) (e : a Effect.t) -> match e with
    | Other -> Some (fun (k : (a, int) continuation) -> continue k v) | _ -> None) }
let task name () = let a = Effect.perform Give in say "%s has %d" name a; let b = Effect.perform Other in say "%s has %d" name b; a + b
let resume v = continue (Queue.pop store) v
let () =
  say "%d" (giving (task "one"));
  (match resume 1 with n -> say "%d" n | exception Effect.Unhandled Other -> say "nobody for Other");
  say "%d" (giving (task "two"));
  say "%d" (other 20 (fun () -> resume 2));
  say "%d" (other 30 (fun () -> giving (task "three")));
  say "%d" (other 40 (fun () -> resume 3));
  say "%d" (giving (task "four"));
  say "%d" (other 50 (fun () -> giving (fun () -> 1000 + resume 4)));
  say "%d" (giving (task "five"));
  say "%d" (other 60 (fun () -> match_with (fun () -> resume 5) () { retc = succ; exnc = raise; effc = (fun _ -> None) }));
  ignore (giving (task "six"));
  at_exit (fun () -> say "at exit %d" (other 70 (fun () -> resume 6)))
