(* Runs of integers of each width, contents that are large enough to be written without a copy of
   their own, and both between other fields: the bytes, and what is read back. *)
let show name v =
  List.iter
    (fun flags ->
      let bytes = Marshal.to_string v flags in
      Printf.printf "%s %d %s %b\n" name (String.length bytes)
        (Digest.to_hex (Digest.string bytes))
        (Marshal.from_string bytes 0 = v))
    [ []; [ Marshal.No_sharing ] ]

let () =
  for k = 0 to 31 do
    show "right" (Array.init 600 (fun i -> i * 7919 * k asr k));
    show "left" (Array.init 600 (fun i -> -(i * 104729 * k lsl k)));
    show "strings" (List.init 50 (fun i -> String.make (i * k * 3) 'x'));
    show "floats" (Array.init 40 (fun i -> Array.make (i * k) (float i)))
  done;
  show "mixed"
    (List.init 100 (fun i ->
         if i land 1 = 0 then (String.make (2000 + i) 'y', i, 0L)
         else ("short", -i, Int64.of_int (i * i))));
  let long = String.make 5000 'z' in
  show "shared" [ long; long; long ^ long; long ];
  let bytes = Bytes.make 20000 'b' in
  let n = Marshal.to_buffer bytes 0 20000 (Array.make 900 1.5, bytes = Bytes.empty) [] in
  print_endline (Digest.to_hex (Digest.subbytes bytes 0 n))
