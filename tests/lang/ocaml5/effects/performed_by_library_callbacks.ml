(* libs: unix.cma *)
(* flags: -I +unix *)
(* Effects of functions that the standard library calls; finalisers, signals, domains and at_exit have no handler. *)
open Effect open Effect.Deep
type _ Effect.t += Inc : int -> int t
let with_inc f = try f () with effect Inc n, k -> continue k (n + 1)
let p = Printf.printf
let () = with_inc (fun () ->
  p "%s\n" (String.concat "," (List.map string_of_int (List.sort (fun a b -> compare (perform (Inc a)) (perform (Inc b))) [3;1;2])));
  let h = Hashtbl.create 3 in List.iter (fun i -> Hashtbl.replace h i i) [1;2;3];
  p "%d\n" (Hashtbl.fold (fun a b acc -> acc + perform (Inc (a * b))) h 0);
  let l = lazy (perform (Inc 41)) in p "%d %d\n" (Lazy.force l) (Lazy.force l);
  p "%a|%t\n" (fun oc x -> output_string oc (string_of_int (perform (Inc x)))) 5 (fun oc -> output_string oc (string_of_int (perform (Inc 9))));
  Format.printf "@[<v 2>%a@,%a@]@." (fun ppf x -> Format.pp_print_int ppf (perform (Inc x))) 1 (fun ppf x -> Format.fprintf ppf "%d" (perform (Inc x))) 2;
  Scanf.sscanf "12 13" "%d %d" (fun a b -> p "%d %d\n" (perform (Inc a)) (perform (Inc b)));
  Array.iteri (fun i x -> p "%d:%d " i (perform (Inc x))) [| 1; 2 |]; p "\n";
  p "%s\n" (String.map (fun c -> Char.chr (perform (Inc (Char.code c)))) "HAL");
  p "%d\n" (Seq.fold_left ( + ) 0 (Seq.map (fun x -> perform (Inc x)) (Seq.take 5 (Seq.ints 0))));
  let a = Array.init 5 (fun i -> perform (Inc i)) in Array.sort (fun a b -> perform (Inc (compare b a)) - 1) a;
  Array.iter (p "%d ") a; p "\n";
  let m = Mutex.create () in p "%d\n" (Mutex.protect m (fun () -> perform (Inc 1)));
  p "%d\n" (Domain.join (Domain.spawn (fun () -> try perform (Inc 1) with Unhandled _ -> -1)));
  Gc.finalise (fun _ -> p "fin %s\n" (try string_of_int (perform (Inc 1)) with Unhandled (Inc n) -> "unhandled" )) (ref 1);
  Gc.full_major (); ();
  let old = Sys.signal Sys.sigusr1 (Signal_handle (fun _ -> p "sig %s\n%!" (try string_of_int (perform (Inc 1)) with Unhandled _ -> "unhandled"))) in
  Unix.kill (Unix.getpid ()) Sys.sigusr1; ignore (Sys.opaque_identity (ref 1)); Sys.set_signal Sys.sigusr1 old;
  at_exit (fun () -> p "exit %s\n" (try string_of_int (perform (Inc 1)) with Unhandled _ -> "unhandled")))
