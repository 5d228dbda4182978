(* A function that is applied to more arguments than it takes goes round loops first: then its frame
   lies above arguments that are not its own. *)

let sums x =
  let s = ref 0 in
  for i = 1 to 5000 do s := !s + i * x done;
  fun y z -> !s + y + z

let nested x y =
  let s = ref 0 and t = ref 0. in
  while !s < 3000 do
    for i = 1 to 3 do
      (try
         for _ = 1 to 4 do if !s mod 7 = i then raise Exit; incr s; t := !t +. float x done
       with Exit -> s := !s + y)
    done
  done;
  fun a -> (!s, !t, a)

let rec cycles n k =
  let i = ref 0 in
  while !i < 1200 do incr i done;
  if n = 0 then fun a b c -> k a + b + c + !i else cycles (n - 1) (fun a -> k (a + !i))

let () =
  for x = 1 to 5 do
    Printf.printf "%d\n" ((Sys.opaque_identity sums) x 10 20);
    let s, t, a = (Sys.opaque_identity nested) x 2 "rest" in
    Printf.printf "%d %g %s\n" s t a;
    Printf.printf "%d\n" ((Sys.opaque_identity cycles) x (fun a -> a) 1 2 3)
  done
