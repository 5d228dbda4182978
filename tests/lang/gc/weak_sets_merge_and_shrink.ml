(* Weak.Make: hash sets that do not keep their elements. *)
module S = Weak.Make (struct
  type t = string
  let equal = String.equal
  let hash = Hashtbl.hash
end)

let () =
  let s = S.create 5 in
  let kept = Array.init 500 (fun i -> String.make 3 (Char.chr (97 + i mod 26)) ^ string_of_int i) in
  Array.iter (S.add s) kept;
  for i = 0 to 1999 do S.add s ("lost" ^ string_of_int i) done;
  Printf.printf "%d\n" (Array.fold_left (fun n k -> if S.mem s k then n + 1 else n) 0 kept);
  Gc.full_major ();
  Printf.printf "%d\n" (S.count s);
  Printf.printf "%b %b\n" (S.mem s "aaa0") (S.mem s "lost77");
  Printf.printf "%b\n" (S.merge s ("aaa" ^ "0") == kept.(0));
  Printf.printf "%b\n" (S.find_opt s "zzz25" = Some "zzz25");
  S.remove s "zzz25";
  Printf.printf "%b\n" (S.mem s "zzz25");
  (match S.find s "none" with _ -> print_endline "?" | exception Not_found -> print_endline "Not_found");
  let total = S.fold (fun k n -> n + String.length k) s 0 in
  Printf.printf "%d\n" total;
  for i = 0 to 499 do if i mod 2 = 0 then kept.(i) <- "" done;
  Gc.full_major ();
  Printf.printf "%d\n" (S.count s);
  let n, entries, sum, smallest, _, largest = S.stats s in
  Printf.printf "%b %d %b %b\n" (n > 0) entries (sum >= entries) (smallest <= largest);
  S.clear s;
  Printf.printf "%d\n" (S.count s);
  ignore (Sys.opaque_identity kept)
