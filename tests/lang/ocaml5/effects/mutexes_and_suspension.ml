(* Mutex.protect across a perform; the owner is the domain that runs. *)
open Effect.Deep
type _ Effect.t += Pause : int Effect.t
let say fmt = Printf.printf (fmt ^^ "\n%!")
let k : (int, int) continuation option ref = ref None
let start f = match_with f () { retc = Fun.id; exnc = raise; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Pause -> Some (fun (c : (a, int) continuation) -> k := Some (Obj.magic c); -1) | _ -> None) }
let () =
  let m = Mutex.create () in
  say "%d" (start (fun () -> Mutex.protect m (fun () -> Effect.perform Pause * 2)));
  say "held %b" (not (Mutex.try_lock m)); say "%d" (continue (Option.get !k) 4); say "free %b" (Mutex.try_lock m); Mutex.unlock m;
  ignore (start (fun () -> Mutex.protect m (fun () -> Effect.perform Pause)));
  say "%s" (Domain.join (Domain.spawn (fun () -> match continue (Option.get !k) 1 with n -> string_of_int n | exception e -> Printexc.to_string e)));
  ignore (start (fun () -> try Mutex.lock m; let n = Effect.perform Pause in Mutex.unlock m; n with Sys_error _ -> -2));
  say "%s" (match Option.get !k with c -> (match continue c 3 with n -> string_of_int n | exception e -> Printexc.to_string e))
