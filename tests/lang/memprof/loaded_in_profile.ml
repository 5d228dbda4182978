let rec numbers n = if n = 0 then [] else n :: numbers (n - 1)
let kept = numbers 100
let () = Printf.printf "%d numbers\n" (List.length kept)
