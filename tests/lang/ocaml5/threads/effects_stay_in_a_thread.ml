(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Threads and domains begin without handlers; continuations go from one to another. *)
open Effect.Deep
type _ Effect.t += Ask : int Effect.t
let p fmt = Printf.printf (fmt ^^ "\n%!")
let answering f =
  try_with f () { effc = fun (type a) (e : a Effect.t) -> match e with
      | Ask -> Some (fun (k : (a, _) continuation) -> continue k 1)
      | _ -> None }
let attempt name f = match f () with
  | n -> p "%s: %d" name n
  | exception e -> p "%s: %s" name (Printexc.to_string e)
let in_thread f =
  let r = ref (Ok 0) in
  Thread.join (Thread.create (fun () -> r := try Ok (f ()) with e -> Error e) ());
  match !r with Ok n -> n | Error e -> raise e
let in_domain f = Domain.join (Domain.spawn f)
let ask () = Effect.perform Ask

let () =
  attempt "here" (fun () -> answering ask);
  attempt "in a thread" (fun () -> answering (fun () -> in_thread ask));
  attempt "in a domain" (fun () -> answering (fun () -> in_domain ask));
  attempt "handled in a thread" (fun () -> in_thread (fun () -> answering ask));
  attempt "handled in a domain" (fun () -> in_domain (fun () -> answering ask));
  attempt "at_exit of a domain" (fun () ->
      in_domain (fun () -> Domain.at_exit (fun () -> ignore (ask ())); 1));
  attempt "handled around at_exit" (fun () ->
      in_domain (fun () -> Domain.at_exit (fun () -> p "%d" (answering ask)); 2));
  Thread.join (Thread.create (fun () -> ignore (ask ())) ());
  (* a continuation that is captured here and continued elsewhere *)
  let captured : (int -> unit) option ref = ref None in
  let body () = let a = ask () in let b = ask () in (10 * a) + b in
  let capture f = match_with f ()
      { retc = (fun n -> p "result %d in domain %d" n (Domain.self () :> int)); exnc = raise;
        effc = fun (type a) (e : a Effect.t) -> match e with
          | Ask -> Some (fun (k : (a, unit) continuation) -> captured := Some (fun (n : int) -> continue k n))
          | _ -> None } in
  let resume n = (Option.get !captured) n in
  capture body; in_domain (fun () -> resume 3); resume 4;
  capture body; Thread.join (Thread.create resume 5); in_domain (fun () -> resume 6);
  in_domain (fun () -> capture body); resume 7; resume 8;
  (* a collection meanwhile *)
  capture (fun () -> let l = List.init 100 string_of_int in let a = ask () in
            let b = ask () in a + b + List.length l);
  Gc.full_major ();
  in_domain (fun () -> resume 1; Gc.full_major ());
  resume 2
