open Effect
open Effect.Deep

type _ Effect.t += Wanted : int -> int t | Other : int -> int t

let show name f =
  match f () with
  | n -> Printf.printf "%s: %d\n" name n
  | exception e -> Printf.printf "%s raised %s\n" name (Printexc.to_string e)

let handle f =
  match_with f () { retc = (fun x -> x + 1000); exnc = (fun e -> print_endline "exnc"; raise e);
    effc = fun (type a) (e : a Effect.t) -> match e with
      | Wanted i -> Some (fun (k : (a, _) continuation) -> continue k (i + 1))
      | _ -> None }

let careful i = try perform (Other i) with Unhandled (Other j) -> -j

let () =
  show "at top level" (fun () -> perform (Other 1));
  show "caught at top level" (fun () -> careful 2);
  show "wanted" (fun () -> handle (fun () -> perform (Wanted 3)));
  show "not wanted" (fun () -> handle (fun () -> perform (Other 4)));
  show "caught in the fiber" (fun () -> handle (fun () -> careful 5 + perform (Wanted 6)));
  show "through three handlers" (fun () -> handle (fun () -> handle (fun () -> handle (fun () ->
    careful 7 + perform (Other 8)))));
  show "caught between handlers" (fun () -> handle (fun () ->
    try handle (fun () -> perform (Other 9)) with Unhandled _ -> perform (Wanted 10)));
  show "the fiber goes on" (fun () -> handle (fun () ->
    let a = careful 11 in
    let b = careful 12 in
    let c = perform (Wanted 13) in
    a + b + c));
  show "in a value handler" (fun () ->
    match_with (fun () -> 1) () { retc = (fun x -> x + perform (Other 14)); exnc = raise;
                                  effc = fun _ -> None });
  show "in an exception handler" (fun () ->
    match_with (fun () -> failwith "x") () { retc = Fun.id; exnc = (fun _ -> perform (Other 15));
                                             effc = fun _ -> None })

exception Cleaned of int
let () =
  show "finally" (fun () -> handle (fun () ->
    Fun.protect ~finally:(fun () -> print_endline "finally") (fun () -> perform (Other 16))));
  show "replaced" (fun () -> handle (fun () ->
    try perform (Other 17) with Unhandled _ -> raise (Cleaned 17)));
  ignore (handle (fun () -> perform (Other 18)))
