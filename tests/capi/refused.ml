(* The names that are there only so that libraries can be opened: calling one raises. So does a
   list of flags that is not a list. *)
external refused : int -> unit = "t_refused"
external flags : Obj.t -> int = "t_flags"

let () =
  for i = 0 to 7 do
    try refused i; print_endline "returned"
    with Failure m -> print_endline m
  done

let () =
  List.iter
    (fun wrong ->
      try Printf.printf "flags %d\n" (flags wrong)
      with Invalid_argument m -> print_endline m)
    [ Obj.repr [ 1; 3 ]; Obj.repr [ 1; 1000 ]; Obj.repr [ -1 ]; Obj.repr [ "a" ]; Obj.repr "abc";
      Obj.repr (ref 0) ]
