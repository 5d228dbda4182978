let table : (string, float array) Hashtbl.t = Hashtbl.create 16

let () =
  for i = 1 to 20_000 do
    Hashtbl.replace table (string_of_int i) (Array.make (i mod 7 + 1) 1.5)
  done;
  Printf.printf "expect block of 4|%d|1\n" (8 * Obj.reachable_words (Obj.repr table))
