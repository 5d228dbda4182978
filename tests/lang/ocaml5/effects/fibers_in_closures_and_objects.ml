(* Effects in methods, functors, first-class modules, recursive closures, polymorphic functions. *)
open Effect.Deep
type _ Effect.t += Read : string -> int Effect.t
let env = [("x", 3); ("y", 4); ("z", 12)]
let run f = match_with f () { retc = Fun.id; exnc = Printexc.to_string; effc = (fun (type a) (e : a Effect.t) -> match e with
  | Read s -> Some (fun (k : (a, string) continuation) ->
      (match List.assoc_opt s env with Some n -> continue k n | None -> discontinue k Not_found)) | _ -> None) }
class point name = object (self)
  val mutable cache = None
  method coordinate n = Effect.perform (Read n)
  method norm = match cache with Some n -> n | None ->
    let n = (self#coordinate "x" * self#coordinate "x") + (self#coordinate "y" * self#coordinate "y") in cache <- Some n; n
  method name : string = name
end
class point3 name = object inherit point name as super method! norm = super#norm + Effect.perform (Read "z") end
module type READER = sig val read : unit -> int end
module Twice (R : READER) = struct let read () = R.read () * 2 end
let reader name = (module struct let read () = Effect.perform (Read name) end : READER)
let rec sum = function [] -> 0 | s :: rest -> Effect.perform (Read s) + sum rest
let compose fs x = List.fold_left (fun x f -> f x) x fs
let () =
  let show f = print_endline (run (fun () -> string_of_int (f ()))) in
  show (fun () -> (new point "p")#norm);
  show (fun () -> let p = new point3 "q" in p#norm + p#norm);
  show (fun () -> let module R = (val reader "y") in let module T = Twice (Twice (R)) in T.read ());
  show (fun () -> sum ["x"; "y"; "z"]);
  show (fun () -> sum ["x"; "none"; "z"]);
  show (fun () -> try sum ["none"] with Not_found -> -1);
  show (fun () -> compose (List.map (fun n -> fun x -> x * Effect.perform (Read n)) ["x"; "y"]) 2);
  show (fun () -> let rec even n = n = 0 || odd (n - 1) and odd n = n <> 0 && even (n - Effect.perform (Read "x") + 2) in if even 1000 then 1 else 0);
  show (fun () -> (object method m = Effect.perform (Read "z") end)#m);
  show (fun () -> let a = lazy (Effect.perform (Read "x")) in let p = object method v = Lazy.force a end in p#v + p#v)
