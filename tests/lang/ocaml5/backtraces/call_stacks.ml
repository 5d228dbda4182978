(* flags: -g *)
(* get_callstack goes on in the parents; that of a continuation shows its fibers. *)
open Effect.Deep
type _ Effect.t += Ask : int Effect.t
let print name bt = Printf.printf "%s:\n%s" name (Printexc.raw_backtrace_to_string bt)
let[@inline never] here name n = print name (Printexc.get_callstack n); 0
let rec deep n f = if n = 0 then f () + 0 else 1 + deep (n - 1) f
let kept : (int, int) continuation option ref = ref None
let handle f = 1 + match_with f () { retc = (fun n -> here "in retc" 10 + n); exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask -> Some (fun (k : (a, int) continuation) -> ignore (here "in the handler" 10); print "of the continuation" (get_callstack k 10); print "two of it" (get_callstack k 2); kept := Some k; 1 + continue k 1) | _ -> None) }
let () =
  ignore (here "plain" 10);
  ignore (deep 2 (fun () -> here "deep" 10));
  ignore (handle (fun () -> deep 2 (fun () -> here "in a fiber" 20)));
  ignore (handle (fun () -> deep 1 (fun () -> 1 + Effect.perform Ask) + here "resumed" 20));
  ignore (handle (fun () -> 1 + handle (fun () -> 1 + here "in two" 20)));
  ignore (handle (fun () -> 1 + handle (fun () -> 1 + here "three slots" 3)));
  (match print "used" (get_callstack (Option.get !kept) 5) with () -> () | exception e -> print_endline (Printexc.to_string e));
  ignore (here "none" 0);
  Domain.join (Domain.spawn (fun () -> ignore (deep 1 (fun () -> here "in a domain" 20))))
