(* try blocks inside a fiber, around the handler, and in the part that resumes. *)
open Effect.Deep
type _ Effect.t += Ask : int -> int Effect.t
exception A of int
exception B of int
let say fmt = Printf.printf (fmt ^^ "\n")
let answer ?(exnc = raise) ?(before = ignore) ?(after = Fun.id) f =
  match_with f () { retc = Fun.id; exnc; effc = (fun (type a) (e : a Effect.t) -> match e with
    | Ask n -> Some (fun (k : (a, int) continuation) -> before n; after (continue k (n + 1))) | _ -> None) }
let show name f = match f () with n -> say "%s: %d" name n | exception e -> say "%s: %s" name (Printexc.to_string e)
let () =
  show "try across a perform" (fun () -> answer (fun () -> try let n = Effect.perform (Ask 1) in raise (A n) with A n -> n * 10));
  show "nested tries" (fun () -> answer (fun () ->
    try (try let n = Effect.perform (Ask 1) in if n = 2 then raise (B n) else n with A n -> n) with B m -> m + Effect.perform (Ask 100)));
  show "raise in a resumed fiber passes the resumer" (fun () ->
    answer ~after:(fun n -> say "not here %d" n; n) (fun () -> let n = Effect.perform (Ask 1) in raise (A n)));
  show "the resumer catches" (fun () ->
    match_with (fun () -> raise (A (Effect.perform (Ask 5)))) ()
      { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
        | Ask n -> Some (fun (k : (a, int) continuation) -> try continue k n with A n -> n + 1000) | _ -> None) });
  show "exnc gets it first" (fun () -> answer ~exnc:(function A n -> n + 1 | e -> raise e) (fun () -> raise (A (Effect.perform (Ask 7)))));
  show "exnc of a nested one" (fun () ->
    answer ~exnc:(function B n -> n + 1 | e -> raise e) (fun () ->
      answer ~exnc:(function A n -> raise (B (n * 2)) | e -> raise e) (fun () -> raise (A (Effect.perform (Ask 7))))));
  show "handler raises before it resumes" (fun () ->
    answer ~before:(fun n -> if n > 2 then raise (A n)) (fun () -> Effect.perform (Ask 1) + Effect.perform (Ask 3)));
  show "loop of tries" (fun () -> answer (fun () ->
    let sum = ref 0 in
    for i = 1 to 100 do
      try
        let n = Effect.perform (Ask i) in
        if n mod 3 = 0 then raise (A n) else if n mod 5 = 0 then raise (B n) else sum := !sum + n
      with A n -> sum := !sum + (1000 * n) | B _ -> sum := !sum + Effect.perform (Ask 0)
    done;
    !sum));
  show "Not_found through ten" (fun () ->
    let rec nest n = if n = 0 then raise Not_found else answer (fun () -> 1 + nest (n - 1)) in nest 10)
