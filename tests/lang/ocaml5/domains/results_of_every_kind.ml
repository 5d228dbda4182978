(* Values that domains return and receive: strings, floats, closures, tables, exceptions with data. *)
exception With of (int * string) list
let say fmt = Printf.printf (fmt ^^ "\n%!")
let run f = Domain.join (Domain.spawn f)
let () =
  say "%s" (run (fun () -> String.concat "," (List.init 10 string_of_int))); say "%g" (run (fun () -> sin 1. +. float (Random.bits () land 0)));
  say "%d" ((run (fun () -> let n = 5 in fun x -> x + n)) 10); say "%d" (Hashtbl.find (run (fun () -> let h = Hashtbl.create 1 in Hashtbl.add h "a" 3; h)) "a");
  (match run (fun () -> raise (With [(1, "x")])) with () -> () | exception With l -> say "%d" (List.length l));
  say "%Ld" (run (fun () -> Int64.mul 3000000000L 5L)); say "%d" (Array.length (run (fun () -> Array.init 100_000 Fun.id))); say "%d" (Lazy.force (run (fun () -> lazy (1 + 1))));
  let o = run (fun () -> object val mutable n = 1 method incr = n <- n + 1; n end) in say "%d %d" o#incr o#incr;
  let b = Bytes.make 5 'a' in run (fun () -> Bytes.set b 2 'z'); say "%s" (Bytes.to_string b);
  let a = Bigarray.Array1.of_array Int C_layout [| 1; 2; 3 |] in run (fun () -> a.{1} <- 50); say "%d" a.{1};
  let ch = run (fun () -> let name = Filename.temp_file "d" "" in let oc = open_out name in output_string oc "from there,"; (oc, name)) in output_string (fst ch) "from here"; close_out (fst ch); say "%s" (In_channel.with_open_bin (snd ch) In_channel.input_all);
  let module M = struct exception Local of int end in (match run (fun () -> raise (M.Local 4)) with () -> () | exception M.Local n -> say "%d" n);
  let r = ref 0 in let d = Domain.spawn (fun () -> incr r; fun () -> incr r; !r) in let f = Domain.join d in say "%d %d" (f ()) (f ())
