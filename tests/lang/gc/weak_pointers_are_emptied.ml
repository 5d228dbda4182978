let show w =
  for i = 0 to Weak.length w - 1 do
    print_string (match Weak.get w i with None -> "- " | Some s -> Bytes.to_string s ^ " ")
  done;
  print_newline ()

let () =
  let w = Weak.create 6 in
  let keep = Array.init 3 (fun i -> Bytes.make 1 (Char.chr (97 + i))) in
  for i = 0 to 2 do Weak.set w i (Some keep.(i)) done;
  for i = 3 to 5 do Weak.set w i (Some (Bytes.make 1 'x')) done;
  Gc.full_major ();
  show w;
  Printf.printf "%d %b %b\n" (Weak.length w) (Weak.check w 0) (Weak.check w 4);
  (match Weak.get w 1, Weak.get_copy w 1 with
   | Some a, Some b -> Printf.printf "%b %b\n" (a == keep.(1)) (b == keep.(1))
   | _ -> print_endline "lost");
  Weak.set w 0 None;
  Weak.blit w 1 w 3 2;
  show w;
  Weak.fill w 0 2 (Some keep.(2));
  show w;
  let v = Weak.create 3 in
  Weak.blit w 0 v 1 2;
  show v;
  ignore (Sys.opaque_identity keep);
  List.iter (fun f -> try f () with Invalid_argument s -> print_endline s)
    [ (fun () -> ignore (Weak.create (-1))); (fun () -> Weak.set w 6 None);
      (fun () -> ignore (Weak.get w (-1))); (fun () -> ignore (Weak.get_copy w 9));
      (fun () -> ignore (Weak.check w 6)); (fun () -> Weak.fill w 4 5 None);
      (fun () -> Weak.blit w 0 v 2 4) ]
