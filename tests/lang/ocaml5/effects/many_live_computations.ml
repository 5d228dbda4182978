(* 100,000 suspended computations at once, resumed in another order. *)
open Effect.Deep
type _ Effect.t += Wait : int -> int Effect.t
let waiting : (int, int) continuation option array = Array.make 100_000 None
let start i = match_with (fun i -> let a = [| i; i + 1 |] in let n = Effect.perform (Wait i) in let m = Effect.perform (Wait i) in a.(0) + a.(1) + n + m) i
  { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
    | Wait i -> Some (fun (k : (a, int) continuation) -> waiting.(i) <- Some k; 0) | _ -> None) }
let resume i v = match waiting.(i) with Some k -> waiting.(i) <- None; continue k v | None -> -1
let () =
  for i = 0 to 99_999 do ignore (start i) done;
  Gc.full_major ();
  for i = 0 to 99_999 do ignore (resume ((i * 7919) mod 100_000) 1) done;
  let total = ref 0 in
  for i = 99_999 downto 0 do total := !total + resume i (i land 3) done;
  Printf.printf "%d %b\n" !total (Array.for_all (( = ) None) waiting)
