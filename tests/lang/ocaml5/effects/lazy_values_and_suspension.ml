(* A lazy value whose computation is suspended is being forced. *)
open Effect.Deep
type _ Effect.t += Pause : int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n")
let k : (int, int) continuation option ref = ref None
let start f = match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Pause -> Some (fun (c : (a, int) continuation) -> k := Some (Obj.magic c); -1) | _ -> None) }
let () =
  let l = lazy (Effect.perform Pause + 1) in
  say "%d" (start (fun () -> Lazy.force l));
  (match Lazy.force l with n -> say "%d" n | exception CamlinternalLazy.Undefined -> say "undefined");
  say "%d" (continue (Option.get !k) 10); say "%d" (Lazy.force l);
  let m = lazy (Effect.perform Pause + 1) in
  ignore (start (fun () -> Lazy.force m));
  (match discontinue (Option.get !k) Exit with n -> say "%d" n | exception Exit -> say "exit");
  (match Lazy.force m with n -> say "%d" n | exception e -> say "%s" (Printexc.to_string e));
  let d = lazy (Effect.perform Pause) in
  ignore (start (fun () -> Lazy.force d)); k := None; Gc.full_major ();
  (match Lazy.force d with n -> say "%d" n | exception CamlinternalLazy.Undefined -> say "never finished")
