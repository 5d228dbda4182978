(* Locals of all kinds in frames that are switched away and back. *)
open Effect.Deep
type _ Effect.t += F : float -> float Effect.t | I : int64 -> int64 Effect.t | S : string -> string Effect.t | A : 'a array -> 'a array Effect.t
let run f = match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | F x -> Some (fun (k : (a, string) continuation) -> continue k (x *. 2.))
  | I n -> Some (fun (k : (a, string) continuation) -> continue k (Int64.add n 1L))
  | S s -> Some (fun (k : (a, string) continuation) -> continue k (s ^ "'"))
  | A x -> Some (fun (k : (a, string) continuation) -> continue k (Array.append x x)) | _ -> None) }
let p = Effect.perform
let () = print_endline (run (fun () ->
  let b = Buffer.create 100 in
  for i = 1 to 20 do
    let x = float i /. 3. and n = Int64.of_int (i * i) and s = string_of_int i and a = [| i; i |] in
    let c = Int32.of_int i and f y = y +. x in
    let x' = p (F x) in let n' = p (I n) in let s' = p (S s) in let a' = p (A a) in
    let fs = p (A [| x; x' |]) in
    let (u, v) as pair = (p (F 0.5), p (S "z")) in
    Buffer.add_string b (Printf.sprintf "%g %g %Ld %Ld %s %s %d %ld %g %g %d %g%s %b\n" x x' n n' s s' (Array.length a') c (f 1.) fs.(3) (Array.length fs) u v (pair == pair))
  done; Buffer.contents b))
