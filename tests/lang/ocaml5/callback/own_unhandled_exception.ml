(* The exception for unhandled effects is the one that is registered under the name. *)
type _ eff = ..
type _ eff += Ask : int eff
exception Nobody of Obj.t
external perform : 'a eff -> 'a = "%perform"
let () =
  Callback.register_exception "Effect.Unhandled" (Nobody (Obj.repr 0));
  (match perform Ask with n -> print_int n | exception Nobody e -> Printf.printf "nobody: %b\n" (e == Obj.repr Ask))
