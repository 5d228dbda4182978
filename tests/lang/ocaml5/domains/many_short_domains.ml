(* under: no: qemu has no room for their stacks *)
let () =
  let sum = ref 0 in
  for i = 1 to 1000 do sum := !sum + Domain.join (Domain.spawn (fun () -> i)) done;
  Printf.printf "%d\n" !sum;
  let rec nest n = if n = 0 then 0 else 1 + Domain.join (Domain.spawn (fun () -> nest (n - 1))) in
  Printf.printf "%d\n" (nest 60);
  Printf.printf "%d\n" (Domain.join (Domain.spawn (fun () -> (Domain.self () :> int))))
