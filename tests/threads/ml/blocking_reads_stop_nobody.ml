let () =
  let r, w = Unix.pipe () in
  let ic = Unix.in_channel_of_descr r and oc = Unix.out_channel_of_descr w in
  let got = ref [] in
  let reader = Thread.create (fun () ->
    try while true do got := input_line ic :: !got done with End_of_file -> close_in ic) () in
  let steps = ref 0 in
  for i = 1 to 50 do
    for k = 1 to 1000 do incr steps; ignore (Sys.opaque_identity (string_of_int k)) done;
    output_string oc (Printf.sprintf "line %d\n" i);
    flush oc;
    Thread.yield ()
  done;
  close_out oc;
  Thread.join reader;
  Printf.printf "%d steps, %d lines, last %s\n" !steps (List.length !got) (List.hd !got);
  (* A full pipe: the writer waits, the reader goes on. *)
  let r, w = Unix.pipe () in
  let ic = Unix.in_channel_of_descr r and oc = Unix.out_channel_of_descr w in
  let writer c = Thread.create (fun () ->
    for _ = 1 to 3 do output_string oc (String.make 300_000 c ^ "\n") done;
    flush oc) () in
  let writers = List.map writer ['a'; 'b'; 'c'] in
  (* Nobody says that a line stays whole. *)
  let counts = Array.make 256 0 in
  for _ = 1 to 9 do
    String.iter (fun c -> counts.(Char.code c) <- counts.(Char.code c) + 1) (input_line ic)
  done;
  List.iter Thread.join writers;
  List.iter (fun c -> Printf.printf "%d %c\n" counts.(Char.code c) c) ['a'; 'b'; 'c'];
  (* output_value and input_value between threads *)
  let r, w = Unix.pipe () in
  let ic = Unix.in_channel_of_descr r and oc = Unix.out_channel_of_descr w in
  let sender = Thread.create (fun () ->
    for i = 1 to 20 do output_value oc (List.init 5000 (fun k -> (i, string_of_int k))) done;
    flush oc) () in
  let sum = ref 0 in
  for _ = 1 to 20 do
    let l : (int * string) list = input_value ic in
    sum := List.fold_left (fun s (i, t) -> s + i + int_of_string t) !sum l
  done;
  Thread.join sender;
  Printf.printf "%d\n" !sum;
  ignore (Sys.command "sleep 0.01");
  print_endline "done"
