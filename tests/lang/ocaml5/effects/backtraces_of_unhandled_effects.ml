(* env: OCAMLRUNPARAM=b *)
(* flags: -g *)
open Effect
open Effect.Deep

type _ Effect.t += A : int -> int t | B : int t

let handle f =
  match_with f () { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | B -> Some (fun (k : (a, int) continuation) -> 1 + continue k 1)
      | _ -> None }

let rec inner n = if n = 0 then perform (A 1) else 1 + inner (n - 1)
let show name f =
  match f () with
  | n -> Printf.printf "%s: %d\n" name n
  | exception e ->
    Printf.printf "%s raised %s\n" name (Printexc.to_string e);
    Printexc.print_backtrace stdout

let () =
  show "top" (fun () -> 1 + inner 2);
  show "fiber" (fun () -> 1 + handle (fun () -> 1 + inner 1));
  show "two fibers" (fun () -> 1 + handle (fun () -> 1 + handle (fun () -> perform B + inner 1)));
  show "caught inside" (fun () -> handle (fun () ->
    try inner 3 with Unhandled _ -> Printexc.print_backtrace stdout; 5));
  show "deep frames" (fun () -> handle (fun () ->
    let rec down n = if n = 0 then perform B else 1 + down (n - 1) in
    let rec fail n = if n = 0 then failwith "deep" else 1 + fail (n - 1) in
    ignore (down 40);
    try fail 5 with Failure _ -> Printexc.print_backtrace stdout; 6));
  show "after a suspension" (fun () -> handle (fun () ->
    let rec down n = if n = 0 then (ignore (perform B); failwith "bottom") else 1 + down (n - 1) in
    try down 70 with Failure _ -> Printexc.print_backtrace stdout; 7));
  show "call stack in a fiber" (fun () -> handle (fun () ->
    let rec down n = if n = 0 then (ignore (perform B); Printexc.raw_backtrace_length (Printexc.get_callstack 1000))
      else (down (n - 1)) + 0 in
    down 70));
  ignore (1 + handle (fun () -> 1 + handle (fun () -> 1 + inner 2)))
