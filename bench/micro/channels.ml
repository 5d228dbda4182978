(* Channels: a file written and read in the ways that programs do. *)
let path = Filename.temp_file "bench" ".channels"
let lines = 100_000
let line = "a line of text of an ordinary length, number "
let text_bytes = ref 0

let with_output work =
  let output = open_out_bin path in
  work output;
  close_out output

let with_input work () =
  let input = open_in_bin path in
  let result = work input in
  close_in input;
  result

let make_text () =
  with_output (fun output ->
      for i = 1 to lines do
        output_string output line;
        output_string output (string_of_int i);
        output_char output '\n'
      done;
      text_bytes := pos_out output)

let make_numbers () =
  with_output (fun output ->
      for i = 1 to lines do
        Printf.fprintf output "%d %.3f name%d\n" (i * 7919) (float i /. 7.) (i mod 100)
      done)

let until_end work input =
  try
    while true do
      work input
    done
  with End_of_file -> ()

let () =
  make_text ();
  let bytes = !text_bytes in
  let row = Rows.row ~times:1 in
  row "input_line" ~units:lines ~unit:"line"
    (with_input (until_end (fun input -> ignore (input_line input))));
  row "input_char" ~units:bytes ~unit:"byte"
    (with_input (until_end (fun input -> ignore (input_char input))));
  row "input_byte" ~units:bytes ~unit:"byte"
    (with_input (until_end (fun input -> ignore (input_byte input))));
  let buffer = Bytes.create 4096 in
  row "input, 4 kB" ~units:(bytes / 1024) ~unit:"kB"
    (with_input (fun from -> while input from buffer 0 4096 > 0 do () done));
  let small = Bytes.create 16 in
  row "input, 16 bytes" ~units:(bytes / 16) ~unit:"call"
    (with_input (fun from -> while input from small 0 16 > 0 do () done));
  row "really_input_string, all" ~units:(bytes / 1024) ~unit:"kB"
    (with_input (fun input -> really_input_string input bytes));
  row "really_input_string, 10 bytes" ~units:(bytes / 10) ~unit:"call"
    (with_input (until_end (fun input -> ignore (really_input_string input 10))));
  row "Buffer.add_channel" ~units:(bytes / 1024) ~unit:"kB"
    (with_input (fun input ->
         let buffer = Buffer.create 1000 in
         Buffer.add_channel buffer input bytes));
  row "input_binary_int" ~units:(bytes / 4) ~unit:"call"
    (with_input (until_end (fun input -> ignore (input_binary_int input))));
  row "seek_in, pos_in" ~units:lines ~unit:"pair"
    (with_input (fun input ->
         for i = 1 to lines do
           seek_in input (i * 17 land 0xFFFF);
           ignore (pos_in input)
         done));
  make_numbers ();
  row "Scanf, a line of three" ~units:lines ~unit:"line" (fun () ->
      let input = Scanf.Scanning.open_in path in
      for _ = 1 to lines do
        Scanf.bscanf input "%d %f %s\n" (fun _ _ _ -> ())
      done;
      Scanf.Scanning.close_in input);
  row "open_in, close_in" ~units:1000 ~unit:"pair" (fun () ->
      for _ = 1 to 1000 do
        close_in (open_in path)
      done)

let () =
  let row name ?(times = 1) ~unit work =
    Rows.row name ~times ~units:lines ~unit (fun () ->
        with_output (fun output ->
            for i = 1 to lines do
              work output i
            done))
  in
  row "output_string" ~unit:"line" (fun output _ -> output_string output line);
  row "output_char" ~times:4 ~unit:"byte" (fun output _ -> output_char output 'x');
  row "output_byte" ~times:4 ~unit:"byte" (fun output i -> output_byte output i);
  row "output_substring, 5 bytes" ~times:4 ~unit:"call" (fun output _ ->
      output_substring output line 3 5);
  row "output_binary_int" ~times:4 ~unit:"call" (fun output i -> output_binary_int output i);
  row "print, flush each" ~unit:"line" (fun output i ->
      if i land 15 = 0 then begin
        output_string output line;
        flush output
      end);
  row "Printf, three fields" ~unit:"line" (fun output i ->
      Printf.fprintf output "%d %s %.3f\n" i "name" 1.5);
  row "Printf, %d" ~unit:"line" (fun output i -> Printf.fprintf output "%d\n" i);
  row "Format, three fields" ~unit:"line"
    (let last = ref (Format.formatter_of_out_channel stdout) and of_output = ref stdout in
     fun output i ->
       if output != !of_output then begin
         of_output := output;
         last := Format.formatter_of_out_channel output
       end;
       Format.fprintf !last "@[%d %s@ %.3f@]@." i "name" 1.5);
  Sys.remove path
