(* flags: -I +unix -I +threads *)
(* libs: unix.cma threads.cma *)
(* One channel, many writers: each call writes its string in one piece. *)
let () =
  let name = Filename.temp_file "sh" "" in
  let oc = open_out_bin name in
  let line i j = Printf.sprintf "%d:%d:%s\n" i j (String.make (j mod 50) (Char.chr (97 + i))) in
  let write i () = for j = 1 to 400 do output_string oc (line i j); if j mod 97 = 0 then flush oc done in
  let ds = List.init 3 (fun i -> Domain.spawn (write i)) and ts = List.init 2 (fun i -> Thread.create (write (i + 3)) ()) in
  List.iter Domain.join ds; List.iter Thread.join ts; close_out oc;
  let lines = In_channel.with_open_bin name In_channel.input_lines in
  Printf.printf "%d lines\n" (List.length lines);
  let expected = List.concat (List.init 5 (fun i -> List.init 400 (fun j -> String.trim (line i (j + 1))))) in
  Printf.printf "%b\n" (List.sort compare lines = List.sort compare expected);
  let of_writer i = List.filter (fun l -> l.[0] = Char.chr (48 + i)) lines in
  Printf.printf "%b\n" (List.for_all (fun i -> of_writer i = List.init 400 (fun j -> String.trim (line i (j + 1)))) [0; 1; 2; 3; 4]);
  let ic = open_in_bin name in
  (* input_line reads in two steps: two domains may get the same line. A character is one step. *)
  let count () = let rec go n = match input_char ic with _ -> go (n + 1) | exception End_of_file -> n in go 0 in
  let counts = List.map Domain.join (List.init 3 (fun _ -> Domain.spawn count)) in
  Printf.printf "%b\n" (List.fold_left ( + ) 0 counts = in_channel_length ic); Sys.remove name
