(* An effect that passes inner handlers captures them; they come back with the continuation. *)
open Effect.Deep
type _ Effect.t += Inner : string -> int Effect.t | Outer : string -> int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n")
let inner name f = match_with f () { retc = (fun n -> say "%s retc %d" name n; n + 1); exnc = (fun e -> say "%s exnc %s" name (Printexc.to_string e); raise e);
  effc = (fun (type a) (e : a Effect.t) -> match e with
    | Inner s when String.starts_with ~prefix:name s -> Some (fun (k : (a, int) continuation) -> say "%s answers %s" name s; continue k (String.length s))
    | _ -> None) }
let kept : (int, int) continuation list ref = ref []
let outer f = match_with f () { retc = (fun n -> say "outer retc %d" n; n); exnc = raise;
  effc = (fun (type a) (e : a Effect.t) -> match e with
    | Outer s -> Some (fun (k : (a, int) continuation) -> say "captured at %s" s; kept := k :: !kept; -1) | _ -> None) }
let next v = match !kept with k :: rest -> kept := rest; continue k v | [] -> failwith "none"
let stop e = match !kept with k :: rest -> kept := rest; discontinue k e | [] -> failwith "none"
let body () =
  inner "a" (fun () -> inner "b" (fun () -> inner "c" (fun () ->
    let x = Effect.perform (Inner "a1") in
    let y = Effect.perform (Outer "first") in
    let z = Effect.perform (Inner "bcd") in
    let w = Effect.perform (Outer "second") in
    let v = Effect.perform (Inner "cdefg") in
    x + (10 * y) + (100 * z) + (1000 * w) + (10000 * v))))
let () =
  say "%d" (outer body); say "%d" (next 5); say "%d" (next 7);
  say "%d" (outer body); say "%d" (next 1);
  (match stop (Failure "enough") with n -> say "%d" n | exception Failure s -> say "left by %s" s)
