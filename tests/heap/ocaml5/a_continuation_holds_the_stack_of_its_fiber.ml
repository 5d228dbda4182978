open Effect
open Effect.Deep

type _ Effect.t += Wait : unit Effect.t

(* What waits holds the values of the frames of its fiber. *)
let waiting : (unit, int) continuation option ref = ref None

let rec deep n data =
  if n = 0 then (perform Wait; Bytes.length data) else 1 + deep (n - 1) data

let () =
  let data = Bytes.create 700_000 in
  let words = Obj.reachable_words (Obj.repr data) in
  let handle (type a) (e : a Effect.t) : ((a, int) continuation -> int) option =
    match e with
    | Wait -> Some (fun (k : (a, int) continuation) -> waiting := Some (Obj.magic k); 0)
    | _ -> None in
  ignore (match_with (deep 10) data { retc = (fun n -> n); exnc = raise; effc = handle });
  Printf.printf "expect string|%d|1\n" (8 * words);
  Printf.printf "under continuation*\n"
