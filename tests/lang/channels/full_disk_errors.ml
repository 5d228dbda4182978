let attempt name f = match f () with
  | () -> Printf.printf "%s ok\n" name
  | exception Sys_error s -> Printf.printf "%s: %s\n" name s

let () =
  let oc = open_out "/dev/full" in
  attempt "small write stays in the buffer" (fun () -> output_string oc "x");
  attempt "flush" (fun () -> flush oc);
  attempt "flush again" (fun () -> flush oc);
  attempt "large write" (fun () -> output_string oc (String.make 100_000 'x'));
  attempt "close" (fun () -> close_out oc);
  attempt "close again" (fun () -> close_out oc);
  close_out_noerr oc;
  let oc = open_out "/dev/full" in
  output_string oc "lost";
  attempt "marshal" (fun () -> output_value oc (Array.make 100_000 1));
  close_out_noerr oc;
  print_endline "end"
