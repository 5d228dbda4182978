let classify n =
  if n < -1_000_000_000_000 then "far below"
  else if n = -1_000_000_000_000 then "big negative"
  else if n < -70_000 then "below"
  else if n <= -1 then "negative"
  else if n = 0 then "zero"
  else if 1 = n then "one"
  else if n >= 4611686018427387903 then "max"
  else if n > 0x3FFF_FFFF then "over 30 bits"
  else if n <> 0x3FFF_FFFF then "positive"
  else "exactly 30 bits"

let () =
  List.iter (fun n -> print_endline (classify n))
    [ min_int; -1_000_000_000_001; -1_000_000_000_000; -70_001; -70_000; -1; 0; 1; 2; 0x3FFF_FFFE;
      0x3FFF_FFFF; 0x4000_0000; max_int - 1; max_int ]
