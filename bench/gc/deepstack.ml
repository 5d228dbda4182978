(* deepstack.ml DEPTH STORES - a heap of 300,000 small blocks, which are replaced while a stack of
   DEPTH frames holds a block each: OCAMLRUNPARAM=l=100M bactrian --gc-stats deepstack.byte 2000000
   3000000. *)
let held = Array.init 300_000 (fun i -> ref i)

let stores () =
  for i = 1 to int_of_string Sys.argv.(2) do held.(i mod 300_000) <- ref i done;
  0

let rec down n =
  if n = 0 then stores ()
  else begin
    let r = ref n in
    let below = down (n - 1) in
    1 + below + !r - n
  end

let () = print_int (down (int_of_string Sys.argv.(1)))
