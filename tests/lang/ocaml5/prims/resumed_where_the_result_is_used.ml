(* RESUME, which follows where the result of a resumed fiber is used: module Effect only has
   RESUMETERM. *)
type ('a, 'b) stack
type last_fiber
external alloc_stack : ('a -> 'b) -> (exn -> 'b) ->
  ('c Effect.t -> ('c, 'b) Effect.Deep.continuation -> last_fiber -> 'b) -> ('a, 'b) stack
  = "caml_alloc_stack"
external runstack : ('a, 'b) stack -> ('c -> 'a) -> 'c -> 'b = "%runstack"
external resume : ('a, 'b) stack -> ('c -> 'a) -> 'c -> last_fiber -> 'b = "%resume"
external take : ('c, 'b) Effect.Deep.continuation -> ('a, 'b) stack = "caml_continuation_use_noexc"
external last : ('c, 'b) Effect.Deep.continuation -> last_fiber = "%field1"
type _ Effect.t += Ask : int -> int Effect.t

let rec deep n f = if n = 0 then f () else 1 + deep (n - 1) f

let answer (type a) (e : a Effect.t) (k : (a, int) Effect.Deep.continuation) _ : int =
  match e with
  | Ask n -> 1 + resume (take k) (fun x -> (Obj.magic (x + 1) : a)) n (last k)
  | _ -> assert false

let run f = 10 * runstack (alloc_stack (fun r -> r) raise answer) f ()

let () =
  let total = ref 0 in
  for i = 1 to 3000 do
    let before = run (fun () -> Effect.perform (Ask i)) in
    let nested = run (fun () -> run (fun () -> Effect.perform (Ask i) + Effect.perform (Ask 2))) in
    let far = run (fun () -> deep (i mod 90) (fun () -> Effect.perform (Ask i))) in
    let raised = try run (fun () -> ignore (Effect.perform (Ask i)); raise Exit) with Exit -> i in
    total := (!total * 31 + before + nested + far + raised) land 0xffffff
  done;
  Printf.printf "%d\n" !total
