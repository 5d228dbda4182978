(* Shallow handlers: each resumption names its own handler. *)
open Effect.Shallow
type _ Effect.t += Send : int -> unit Effect.t | Recv : int Effect.t
exception Done of string
let rec send_first : type a. (a, string) continuation -> a -> int list -> string = fun k v log ->
  continue_with k v
    { retc = (fun s -> s ^ " after " ^ String.concat "," (List.rev_map string_of_int log));
      exnc = (fun e -> "exception " ^ Printexc.to_string e);
      effc = (fun (type b) (e : b Effect.t) -> match e with
        | Send n -> Some (fun (k : (b, _) continuation) -> recv_next k () n (n :: log))
        | Recv -> Some (fun (k : (b, _) continuation) -> discontinue_with k (Failure "send first") (last log))
        | _ -> None) }
and recv_next : type a. (a, string) continuation -> a -> int -> int list -> string = fun k v n log ->
  continue_with k v
    { retc = (fun s -> s ^ " (unread)"); exnc = raise;
      effc = (fun (type b) (e : b Effect.t) -> match e with
        | Recv -> Some (fun (k : (b, _) continuation) -> send_first k (n + 1) log)
        | Send _ -> Some (fun (k : (b, _) continuation) ->
            discontinue_with_backtrace k (Failure "receive first") (Printexc.get_callstack 0) (last log))
        | _ -> None) }
and last log = { retc = (fun s -> "end " ^ s); exnc = (fun e -> Printf.sprintf "%s at %d" (Printexc.to_string e) (List.length log));
                 effc = (fun _ -> None) }
let start f = send_first (fiber f) () []
let send n = Effect.perform (Send n) and recv () = Effect.perform Recv
let () =
  print_endline (start (fun () -> send 1; let a = recv () in send (a * 10); let b = recv () in Printf.sprintf "%d %d" a b));
  print_endline (start (fun () -> send 1; "stops"));
  print_endline (start (fun () -> string_of_int (recv ())));
  print_endline (start (fun () -> send 1; send 2; "never"));
  print_endline (start (fun () -> try send 1; send 2; "never" with Failure s -> "caught " ^ s));
  print_endline (start (fun () -> raise (Done "at once")));
  print_endline (start (fun () -> send 5; ignore (recv ()); raise (Done "later")));
  print_endline (start (fun () -> let s = ref 0 in for i = 1 to 500 do send i; s := !s + recv () done; string_of_int !s) |> fun s -> String.sub s 0 20)
