(* env: OCAMLRUNPARAM=l=100k *)
open Effect
open Effect.Deep

type _ Effect.t += E : int -> int t

let handle f =
  match_with f () { retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) -> match e with
      | E i -> Some (fun (k : (a, int) continuation) -> continue k (i + 1))
      | _ -> None }

let rec forever n = 1 + forever (n + 1)
let rec performing n = perform (E n) + performing (n + 1)

let () =
  print_endline (try string_of_int (handle (fun () -> forever 0)) with Stack_overflow -> "around");
  print_endline (try string_of_int (handle (fun () -> try forever 0 with Stack_overflow -> 5))
                 with Stack_overflow -> "around");
  print_endline (try string_of_int (handle (fun () -> performing 0)) with Stack_overflow -> "performing");
  print_endline (try string_of_int (handle (fun () ->
    let a = perform (E 1) in
    let b = try forever 0 with Stack_overflow -> perform (E 2) in
    a + b + perform (E 3))) with Stack_overflow -> "around");
  for _ = 1 to 20 do
    ignore (try handle (fun () -> handle (fun () -> performing 0)) with Stack_overflow -> 0)
  done;
  print_endline "again and again"
