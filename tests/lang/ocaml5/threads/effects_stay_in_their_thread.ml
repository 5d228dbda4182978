(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* Threads switch while computations are suspended and resumed in each. *)
open Effect.Deep
type _ Effect.t += Step : int -> int Effect.t
let body n () = let s = ref 0 in for i = 1 to n do s := (!s * 3 + Effect.perform (Step i)) land 0xFFFFF; if i mod 50 = 0 then Thread.yield () done; !s
let run n = match_with (body n) () { retc = (fun x -> x); exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Step i -> Some (fun (k : (a, int) continuation) -> if i mod 70 = 0 then Thread.yield (); continue k (i + 1)) | _ -> None) }
let () =
  let alone = run 3000 in
  let results = Array.make 6 0 in
  let ts = List.init 6 (fun i -> Thread.create (fun () -> results.(i) <- run 3000) ()) in
  List.iter Thread.join ts;
  Printf.printf "%d %b\n" alone (Array.for_all (( = ) alone) results);
  let ds = List.init 2 (fun _ -> Domain.spawn (fun () -> let r = Array.make 3 0 in
    List.iter Thread.join (List.init 3 (fun i -> Thread.create (fun () -> r.(i) <- run 1000) ())); Array.to_list r)) in
  let expected = run 1000 in
  Printf.printf "%b\n" (List.for_all (( = ) expected) (List.concat_map Domain.join ds))
