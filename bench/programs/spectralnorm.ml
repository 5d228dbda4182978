(* Float arrays: the spectral norm of an infinite matrix, by power iteration. *)
let entry i j = 1. /. float_of_int (((i + j) * (i + j + 1) / 2) + i + 1)

let times n entry v =
  Array.init n (fun i ->
      let sum = ref 0. in
      for j = 0 to n - 1 do
        sum := !sum +. (entry i j *. v.(j))
      done;
      !sum)

let times_both n v = times n (fun i j -> entry j i) (times n entry v)

let () =
  let n = int_of_string Sys.argv.(1) in
  let u = ref (Array.make n 1.) and v = ref [||] in
  for _ = 1 to 10 do
    v := times_both n !u;
    u := times_both n !v
  done;
  let dot a b = snd (Array.fold_left (fun (i, s) x -> (i + 1, s +. (x *. b.(i)))) (0, 0.) a) in
  Printf.printf "%.9f\n" (sqrt (dot !u !v /. dot !v !v))
