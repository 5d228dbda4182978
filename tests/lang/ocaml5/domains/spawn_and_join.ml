(* Results and exceptions of domains; joined once, twice, in any order. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
exception Mine of int list
let show d = match Domain.join d with n -> say "%d" n | exception e -> say "%s" (Printexc.to_string e)
let () =
  let d = Domain.spawn (fun () -> 42) in
  show d; show d; show d;
  let e = Domain.spawn (fun () -> raise (Mine [1; 2])) in
  show e; show e;
  let ds = List.init 6 (fun i -> Domain.spawn (fun () -> if i = 3 then failwith "three" else i * i)) in
  List.iter show (List.rev ds);
  let nested = Domain.spawn (fun () ->
    let inner = Domain.spawn (fun () -> Domain.join (Domain.spawn (fun () -> 5)) + 1) in Domain.join inner * 2) in
  show nested;
  let of_closure x y = Domain.spawn (fun () -> x * y) in
  say "%d" (List.fold_left (fun s d -> s + Domain.join d) 0 (List.init 10 (fun i -> of_closure i 3)));
  let r = ref [] in
  Domain.join (Domain.spawn (fun () -> r := 1 :: !r; Domain.join (Domain.spawn (fun () -> r := 2 :: !r))));
  say "%s" (String.concat " " (List.map string_of_int !r));
  let s = Domain.join (Domain.spawn (fun () -> let a = Array.make 3 0.5 in Array.iteri (fun i x -> a.(i) <- x *. float i) a; a)) in
  say "%g %g %g" s.(0) s.(1) s.(2);
  (* joined by another domain *)
  let d = Domain.spawn (fun () -> 7) in
  say "%d" (Domain.join (Domain.spawn (fun () -> Domain.join d + 1)) + Domain.join d)
