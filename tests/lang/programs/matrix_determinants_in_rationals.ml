type q = { n : int; d : int }
let rec gcd a b = if b = 0 then abs a else gcd b (a mod b)
let make n d =
  if d = 0 then raise Division_by_zero;
  let g = gcd n d in
  let s = if d < 0 then -1 else 1 in
  { n = s * n / g; d = s * d / g }
let ( +/ ) a b = make ((a.n * b.d) + (b.n * a.d)) (a.d * b.d)
let ( -/ ) a b = make ((a.n * b.d) - (b.n * a.d)) (a.d * b.d)
let ( */ ) a b = make (a.n * b.n) (a.d * b.d)
let ( // ) a b = make (a.n * b.d) (a.d * b.n)
let zero = make 0 1 and one = make 1 1

let det m =
  let m = Array.map Array.copy m in
  let n = Array.length m in
  let d = ref one in
  (try
     for k = 0 to n - 1 do
       (match List.find_opt (fun i -> m.(i).(k).n <> 0) (List.init (n - k) (fun i -> i + k)) with
        | None -> d := zero; raise Exit
        | Some p when p <> k ->
          let t = m.(p) in m.(p) <- m.(k); m.(k) <- t; d := zero -/ !d
        | Some _ -> ());
       d := !d */ m.(k).(k);
       for i = k + 1 to n - 1 do
         let f = m.(i).(k) // m.(k).(k) in
         for j = k to n - 1 do m.(i).(j) <- m.(i).(j) -/ (f */ m.(k).(j)) done
       done
     done
   with Exit -> ());
  !d

let show q = Printf.printf "%d/%d\n" q.n q.d

let () =
  show (make 6 (-4) +/ make 1 3);
  show (det (Array.init 4 (fun i -> Array.init 4 (fun j -> make 1 (i + j + 1)))));
  show (det (Array.init 5 (fun i -> Array.init 5 (fun j -> make ((i * j) + (if i = j then 3 else
      0)) 1))));
  show (det [| [| zero; one |]; [| one; zero |] |]);
  show (det [| [| one; one |]; [| one; one |] |]);
  (try show (one // zero) with Division_by_zero -> print_endline "Division_by_zero")
