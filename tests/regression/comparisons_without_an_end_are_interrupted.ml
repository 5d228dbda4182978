(* libs: unix.cma *)
(* Values that hold themselves are compared for ever, but not against the will of the program: a
   handler may raise. Under ocamlrun 4.13.1 no handler runs any more. *)
exception Enough

let forward () =
  let f = Obj.dup (Obj.repr (ref 0)) in
  Obj.set_tag f Obj.forward_tag;
  Obj.set_field f 0 f;
  f

let rec ones = 1 :: ones
let rec others = 1 :: others

let attempt name f =
  ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.; it_value = 0.02 });
  Printf.printf "%s: %s\n%!" name
    (match f () with b -> string_of_bool b | exception e -> Printexc.to_string e)

let () =
  let turns = ref 0 in
  let handle _ =
    incr turns;
    ignore (Sys.opaque_identity (List.init 1000 string_of_int));
    if !turns mod 3 = 0 then raise Enough;
    ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.; it_value = 0.02 }) in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle handle);
  attempt "lists" (fun () -> ones = others);
  attempt "order" (fun () -> compare ones others < 0);
  attempt "a forward and itself" (fun () -> let f = forward () in f = f);
  attempt "a forward, in total order, and itself" (fun () -> let f = forward () in compare f f = 0);
  attempt "two forwards" (fun () -> forward () < forward ());
  attempt "an integer" (fun () -> Obj.repr 3 = forward ());
  print_int !turns;
  print_newline ()
