(* flags: -g *)
(* env: OCAMLRUNPARAM=b *)
(* Shallow fibers: changing handlers, discontinuing with a backtrace, a second use. *)
open Effect
open Effect.Shallow
type _ Effect.t += A : int -> int t | B : string t
let rec loop : type a b. int -> (a, b) continuation -> a -> b = fun n k v ->
  continue_with k v { retc = Fun.id; exnc = (fun e -> Printf.printf "exnc %d\n" n; raise e);
    effc = (fun (type c) (e : c t) -> match e with
      | A i -> Some (fun (k : (c, b) continuation) -> Printf.printf "A %d at %d\n" i n; loop (n + 1) k (i * n))
      | B -> Some (fun k -> loop (n + 1) k (string_of_int n))
      | _ -> None) }
let () = print_int (loop 1 (fiber (fun () -> let a = perform (A 3) in let b = perform B in let c = perform (A a) in a + c + String.length b)) ());
  print_newline ()
let () = match loop 1 (fiber (fun () -> ignore (perform (A 1)); if Sys.opaque_identity true then failwith "inside" else 0)) () with
  | _ -> () | exception e -> print_endline (Printexc.to_string e); Printexc.print_backtrace stdout
let () =
  let k = fiber (fun () -> try perform (A 5) with Not_found -> 42) in
  print_int (continue_with k () { retc = Fun.id; exnc = raise; effc = fun (type c) (e : c t) -> match e with
    | A _ -> Some (fun (k : (c, int) continuation) -> discontinue_with k Not_found { retc = (fun x -> x * 2); exnc = raise; effc = fun _ -> None }) | _ -> None });
  print_newline ()
let () =
  let k = fiber (fun () -> perform (A 5)) in
  match continue_with k () { retc = Fun.id; exnc = raise; effc = fun (type c) (e : c t) -> match e with
    | A _ -> Some (fun (k : (c, int) continuation) ->
      let bt = Printexc.get_callstack 10 in
      discontinue_with_backtrace k Exit bt { retc = Fun.id; exnc = raise; effc = fun _ -> None }) | _ -> None } with
  | _ -> () | exception e -> print_endline (Printexc.to_string e); Printexc.print_backtrace stdout
let () = let k = fiber (fun x -> x + 1) in
  let h = { retc = Fun.id; exnc = raise; effc = fun _ -> None } in
  print_int (continue_with k 1 h);
  match continue_with k 1 h with _ -> () | exception e -> print_endline (Printexc.to_string e)
let () = perform (A 1) |> print_int
