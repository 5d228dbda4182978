(* Collections while handlers run, while fibers are half done, and in finalisers. *)
open Effect.Deep
type _ Effect.t += Ask : string -> string Effect.t
let log = Buffer.create 100
let collect n = match n mod 3 with 0 -> Gc.minor () | 1 -> Gc.full_major () | _ -> Gc.compact ()
let rec run depth f = match_with f () { retc = (fun s -> collect depth; s ^ "."); exnc = (fun e -> collect depth; Printexc.to_string e);
  effc = (fun (type a) (e : a Effect.t) -> match e with
    | Ask s when String.length s mod 4 = depth mod 4 -> Some (fun (k : (a, string) continuation) -> collect (depth + 1); let r = continue k (s ^ string_of_int depth) in collect (depth + 2); r ^ "!")
    | _ -> None) }
let rec nest d f = if d = 0 then f () else run d (fun () -> nest (d - 1) f)
let body n () =
  let parts = List.init n (fun i -> let here = String.make (i + 1) (Char.chr (97 + i)) in let there = Effect.perform (Ask here) in here ^ "-" ^ there) in
  String.concat "," parts
let () =
  print_endline (nest 8 (body 8));
  print_endline (nest 5 (fun () -> ignore (body 4 ()); failwith (Effect.perform (Ask "last"))));
  let finalised = ref 0 in
  let r = nest 6 (fun () -> Gc.finalise (fun _ -> ignore (nest 4 (body 3)); incr finalised) (ref 0); collect 1; body 5 ()) in
  collect 1; Printf.printf "%s %d\n" r !finalised
