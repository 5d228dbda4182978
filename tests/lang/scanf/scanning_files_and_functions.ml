let () =
  let oc = open_out "data.txt" in
  for i = 1 to 300 do Printf.fprintf oc "item%d %d %S\n" i (i * i) (String.make (i mod 7) 'q') done;
  close_out oc;
  let ib = Scanf.Scanning.open_in "data.txt" in
  let total = ref 0 in
  (try
     while true do
       Scanf.bscanf ib " item%d %d %S" (fun a b s -> total := !total + a + b + String.length s)
     done
   with End_of_file | Scanf.Scan_failure _ -> ());
  Printf.printf "%d %b %s\n" !total (Scanf.Scanning.end_of_input ib)
      (Scanf.Scanning.name_of_input ib);
  Scanf.Scanning.close_in ib;
  let i = ref 0 in
  let chars = Scanf.Scanning.from_function (fun () ->
      incr i; if !i > 6 then raise End_of_file else Char.chr (48 + !i)) in
  Scanf.bscanf chars "%2d%d" (Printf.printf "%d %d\n");
  print_endline (Scanf.unescaped "a\\tb\\065\\\\");
  Printf.printf "%d\n" (Scanf.kscanf (Scanf.Scanning.from_string "x") (fun _ _ -> -1) "%d" (fun n
      -> n));
  Scanf.sscanf_format "\"%d!\"" "%i" (fun f -> Printf.printf f 3);
  print_newline ();
  Printf.printf "%b\n" (Scanf.Scanning.beginning_of_input (Scanf.Scanning.from_string "x"))
