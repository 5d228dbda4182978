(* seek_in of a closed channel to the end of what was read needs no system call and succeeds, in 4.x
   also for 64 KB before it; another position, and all reads, find a bad descriptor. *)
let attempt name f =
  match f () with
  | () -> print_endline (name ^ ": done")
  | exception Sys_error s -> print_endline (name ^ ": " ^ s)
  | exception End_of_file -> print_endline (name ^ ": end of file")

let closed_after read size =
  let oc = open_out_bin "f" in
  output_string oc (String.make size 'x');
  close_out oc;
  let ic = open_in_bin "f" in
  ignore (really_input_string ic read);
  close_in ic;
  ic

let () =
  let seek name read size positions =
    let ic = closed_after read size in
    List.iter
      (fun n ->
        attempt (Printf.sprintf "%s, %d" name n) (fun () ->
            seek_in ic n;
            print_string (string_of_int (pos_in ic) ^ " ")))
      positions
  in
  seek "nothing read" 0 10 [ 1; 0; -1; -65536; -65537; max_int ];
  seek "some read" 5 10 [ 10; 11; 10; 0; 5; -1 ];
  seek "all read" 10 10 [ 10; 11 ];
  seek "two buffers read" 70_000 200_000 [ 65535; 131072; 131073; 65536; 70_000 ];
  let ic = closed_after 5 10 in
  seek_in ic 10;
  attempt "input_char" (fun () -> ignore (input_char ic));
  attempt "input_line" (fun () -> ignore (input_line ic));
  attempt "length" (fun () -> ignore (in_channel_length ic));
  attempt "again" (fun () -> seek_in ic 10);
  let oc = open_out "g" in
  output_string oc "abc";
  close_out oc;
  attempt "seek_out" (fun () -> seek_out oc 0)
