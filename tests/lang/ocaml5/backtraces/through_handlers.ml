(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
(* Where a trace begins when an exception leaves a fiber. *)
open Effect.Deep
type _ Effect.t += Ask : int -> int Effect.t
exception Boom of int
let show name f = match f () with _ -> print_endline name | exception e -> Printf.printf "%s: %s\n%s" name (Printexc.to_string e) (Printexc.get_backtrace ())
let[@inline never] fail n = if n > 0 then raise (Boom n) else n
let rec deep n = if n = 0 then 1 + fail 3 else 1 + deep (n - 1)
let handle ?(exnc = raise) f = 1 + match_with f () { retc = Fun.id; exnc; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Ask n when n < 0 -> Some (fun (k : (a, int) continuation) -> discontinue k (Boom n))
  | Ask 100 -> Some (fun (k : (a, int) continuation) -> fail 100)
  | Ask 200 -> Some (fun (k : (a, int) continuation) -> discontinue_with_backtrace k (Boom 200) (Printexc.get_callstack 5))
  | Ask n -> Some (fun (k : (a, int) continuation) -> 1 + continue k n) | _ -> None) }
let () =
  show "at once" (fun () -> handle (fun () -> deep 2));
  show "after a switch" (fun () -> handle (fun () -> deep (Effect.perform (Ask 1))));
  show "discontinued" (fun () -> handle (fun () -> 1 + Effect.perform (Ask (-4))));
  show "caught inside and raised again" (fun () -> handle (fun () -> try deep 1 with e -> raise e));
  show "caught inside, another" (fun () -> handle (fun () -> try deep 1 with e -> raise Exit));
  show "in the handler" (fun () -> handle (fun () -> Effect.perform (Ask 100)));
  show "with a backtrace" (fun () -> handle (fun () -> 1 + Effect.perform (Ask 200)));
  show "exnc raises another" (fun () -> handle ~exnc:(fun e -> raise Not_found) (fun () -> deep 1));
  show "exnc reraises" (fun () -> handle ~exnc:(fun e -> Printexc.raise_with_backtrace e (Printexc.get_raw_backtrace ())) (fun () -> deep 1));
  show "two handlers" (fun () -> handle (fun () -> handle (fun () -> deep 1)));
  show "unhandled" (fun () -> match_with (fun () -> 1 + Effect.perform (Ask 1)) () { retc = Fun.id; exnc = raise; effc = (fun _ -> None) });
  show "unhandled by two" (fun () -> handle (fun () -> let module M = struct type _ Effect.t += Other : int Effect.t end in 1 + Effect.perform M.Other));
  show "caught inside" (fun () -> handle (fun () -> try deep 1 with Boom _ -> print_string (Printexc.get_backtrace ()); raise_notrace Exit));
  show "fun_protect" (fun () -> handle (fun () -> Fun.protect ~finally:(fun () -> ()) (fun () -> deep 1)))
