module Make () = struct
  exception E of int
  let raise_it n = raise (E n)
end

module M1 = Make ()
module M2 = Make ()

let local n =
  let exception L in
  if n = 0 then L, (function L -> true | _ -> false)
  else L, (function L -> true | _ -> false)

let () =
  (try M1.raise_it 1 with
   | M2.E n -> Printf.printf "M2.E %d\n" n
   | M1.E n -> Printf.printf "M1.E %d\n" n);
  (try M2.raise_it 2 with
   | M1.E n -> Printf.printf "M1.E %d\n" n
   | M2.E n -> Printf.printf "M2.E %d\n" n);
  let e1, is1 = local 0 and e2, is2 = local 0 in
  Printf.printf "%b %b %b %b\n" (is1 e1) (is1 e2) (is2 e1) (is2 e2);
  Printf.printf "%b %b\n" (M1.E 1 = M1.E 1) (try M1.E 1 = M2.E 1 with Invalid_argument _ -> true);
  print_endline (Printexc.to_string (M1.E 3))
