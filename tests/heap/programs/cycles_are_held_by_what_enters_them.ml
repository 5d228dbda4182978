type node = { mutable next : node; mutable previous : node; value : string; x : int; y : int }

let ring n =
  let zero = string_of_int 0 in
  let rec first = { next = first; previous = first; value = zero; x = 0; y = 0 } in
  for i = 1 to n - 1 do
    let node = { next = first; previous = first.previous; value = string_of_int i; x = i; y = i } in
    first.previous.next <- node;
    first.previous <- node
  done;
  first

let ring = ref (ring 10_000)
let () = Printf.printf "expect block of 5|%d|10000\n" (8 * Obj.reachable_words (Obj.repr !ring))
