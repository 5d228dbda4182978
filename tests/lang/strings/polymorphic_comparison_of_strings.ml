let words = [ ""; "a"; "b"; "aa"; "ab"; "abcdefg"; "abcdefgh"; "abcdefghi"; "abcdefgH"; "\255";
    "\000" ]
let bit b = if b then '1' else '0'

let () =
  List.iter (fun (a : string) ->
      List.iter (fun (b : string) ->
          Printf.printf "%d%c%c%c%c%c%c " (compare a b) (bit (a = b)) (bit (a <> b)) (bit (a < b))
            (bit (a <= b)) (bit (a > b)) (bit (a >= b)))
        words;
      print_newline ())
    words;
  print_endline (String.concat "," (List.sort compare words |> List.map String.escaped));
  let b = Bytes.of_string "x" and c = Bytes.of_string "y" in
  Printf.printf "%b %b %b %b %b %b %d\n" (b = c) (b <> c) (b < c) (b <= c) (b > c) (b >= c)
    (compare b c)
