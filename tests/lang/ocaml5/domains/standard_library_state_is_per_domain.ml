(* Random, Format's std_formatter and Filename's temporary folder belong to each domain. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let inside f = Domain.join (Domain.spawn f)
let three () = String.concat " " (List.map string_of_int [Random.int 1000; Random.int 1000; Random.int 1000])
let () =
  Random.init 7;
  let a = inside three in
  let b = three () in
  Random.init 7;
  say "%b %b" (a = inside three) (b = three ());
  Random.init 7;
  say "%b" (inside (fun () -> Random.init 7; three ()) = three ());
  Format.set_margin 40;
  say "%d %d" (Format.get_margin ()) (inside Format.get_margin);
  inside (fun () -> Format.set_margin 33);
  say "%d" (Format.get_margin ());
  Format.printf "@[<v 2>main@,one@]@.";
  inside (fun () -> Format.printf "@[<v 2>there@,two@]@.");
  inside (fun () -> Format.printf "not flushed by hand");
  Format.printf " main again@.";
  Filename.set_temp_dir_name "/some/where";
  say "%s %s" (Filename.get_temp_dir_name ()) (inside Filename.get_temp_dir_name);
  inside (fun () -> Filename.set_temp_dir_name "/else");
  say "%s" (Filename.get_temp_dir_name ());
  say "%b" (Hashtbl.is_randomized ());
  let k = inside (fun () -> let h = Hashtbl.create 3 in for i = 1 to 100 do Hashtbl.add h i (i * i) done; h) in
  say "%d" (Hashtbl.fold (fun _ v s -> s + v) k 0)
