(* flags: -g *)
(* Continuations that are kept in lists are resumed later, in another order, in other fibers, twice. *)
open Effect open Effect.Deep
type _ Effect.t += S : int -> int t
let saved : (int, string) continuation list ref = ref []
let mk i = match_with (fun () -> Fun.protect ~finally:(fun () -> Printf.printf "fin %d\n" i) (fun () -> let a = perform (S i) in let b = perform (S a) in Printf.sprintf "%d/%d/%d" i a b)) ()
  { retc = Fun.id; exnc = (fun e -> "exn " ^ Printexc.to_string e); effc = fun (type b) (e : b t) -> match e with
    | S n -> Some (fun (k : (b, string) continuation) -> saved := k :: !saved; "susp" ^ string_of_int n) | _ -> None }
let take () = let l = !saved in saved := []; l
let () =
  for i = 1 to 4 do print_endline (mk i) done;
  let l = take () in
  List.iteri (fun j k -> print_endline (continue k (j * 100))) l;
  let l = take () in
  List.iteri (fun j k -> print_endline (if j mod 2 = 0 then continue k j else discontinue k (Failure (string_of_int j)))) (List.rev l);
  Printf.printf "%d\n" (List.length !saved);
  List.iter (fun k -> try print_endline (continue k 0) with e -> print_endline (Printexc.to_string e)) l
let () =
  (* resumed inside another fiber's handler *)
  ignore (mk 9);
  let [@warning "-8"] [ k ] = take () in
  let r = match_with (fun () -> "in:" ^ continue k 5) () { retc = (fun s -> "ret " ^ s); exnc = raise; effc = fun (type b) (e : b t) -> match e with
     | S n -> Some (fun (k : (b, _) continuation) -> "outer took " ^ string_of_int n) | _ -> None } in
  print_endline r;
  let l = take () in Printf.printf "%d\n" (List.length l);
  List.iter (fun k -> print_endline (discontinue k Exit)) l
