(* Domain.DLS: values of each domain, made at the first use or split from the parent's. *)
module D = Domain.DLS
let run f = Domain.join (Domain.spawn f)
let made = ref 0
let plain = D.new_key (fun () -> incr made; 100 * !made)
let split = D.new_key ~split_from_parent:(fun n -> n + 1) (fun () -> 10)
let listed = D.new_key ~split_from_parent:(fun l -> (Domain.self () :> int) :: l) (fun () -> [])
let show () = Printf.sprintf "%d %d [%s]" (D.get plain) (D.get split)
    (String.concat ";" (List.map string_of_int (D.get listed)))

let () =
  print_endline (show ());
  print_endline (show ());
  D.set split 5;
  print_endline (run show);
  print_endline (run (fun () -> let a = show () in a ^ " / " ^ run show));
  print_endline (show ());
  print_endline (run (fun () -> D.set plain 7; D.set split 8; show () ^ " / " ^ run show));
  print_endline (show ());
  (* a key that another domain made *)
  let key = run (fun () -> let k = D.new_key (fun () -> "initial") in D.set k "inside"; k) in
  print_endline (D.get key);
  (* many keys: the table grows *)
  let keys = Array.init 100 (fun i -> D.new_key (fun () -> i)) in
  Array.iteri (fun i k -> if i mod 3 = 0 then D.set k (-i)) keys;
  let sum () = Array.fold_left (fun s k -> s + D.get k) 0 keys in
  Printf.printf "%d %d %d\n" (sum ()) (run sum) (sum ());
  (* values survive collections *)
  let boxed = D.new_key (fun () -> ref (string_of_int (Domain.self () :> int))) in
  let work () =
    let r = D.get boxed in
    for i = 1 to 1000 do
      r := !r ^ ""; ignore (Sys.opaque_identity (Array.make 100 i))
    done;
    Gc.full_major ();
    r == D.get boxed && String.length !r >= 1 in
  let domains = List.init 4 (fun _ -> Domain.spawn work) in
  Printf.printf "%b %b\n" (work ()) (List.for_all Domain.join domains);
  (* the initial value may use another key *)
  let a = D.new_key (fun () -> 1) in
  let b = D.new_key (fun () -> D.get a + 1) in
  let c = D.new_key (fun () -> D.set a 50; D.get b + D.get a) in
  Printf.printf "%d %d %d\n" (D.get c) (D.get b) (D.get a);
  match D.get (D.new_key (fun () -> failwith "no value")) with
  | () -> ()
  | exception Failure s -> print_endline s
