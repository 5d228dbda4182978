(* let rec of closures, functions in the middle of a group, empty blocks and lazy values (#8681,
   #8699, #8712, #12153, #13930); and with a collector that marks meanwhile (#10203). *)
let churn () = ignore (Sys.opaque_identity (List.init 500 string_of_int)); ignore (Gc.major_slice 0)

let inner k =
  let rec f = let rec g x = if x = 0 then k else h (x - 1) and h x = if x = 0 then List.length l else g (x - 1) in h
  and l = [ (fun () -> f); (fun () -> f) ] in
  (f, l)

let arrays k =
  let rec a = [||] and b () = a and c = [| (fun () -> Array.length (b ()) + k) |] in
  (a, b, c)

module type EMPTY = sig end
let modules k =
  let rec m = (module struct end : EMPTY) and f () = (m, k) in
  f

module rec Even : sig val is : int -> bool end = struct let is n = n = 0 || Odd.is (n - 1) end
and Odd : sig val is : int -> bool end = struct let is n = n <> 0 && Even.is (n - 1) end

let lazies k =
  let rec x = lazy (k + List.length (Lazy.force y)) and y = lazy [ x; x; z ] and z = lazy (Lazy.force x + 1) in
  (x, y, z)

type t = { f : int -> int; again : t Lazy.t; x : float; tail : t list }
let records k =
  let rec r = { f = (fun n -> if n = 0 then k else s.f (n - 1)); again = lazy s; x = 1.5; tail = [ s ] }
  and s = { f = (fun n -> if n = 0 then -k else r.f (n - 1)); again = lazy r; x = 2.5; tail = [ r; s ] } in
  r

let nested k =
  let rec f x = if x = 0 then k else (snd p) (x - 1)
  and p = (f, g)
  and g x = if x = 0 then -k else (fst p) (x - 1) in
  p

let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    let f, l = inner i in
    churn ();
    let a, b, c = arrays i in
    let m = modules i in
    let x, y, z = lazies i in
    churn ();
    let r = records i and p = nested i in
    if i mod 50 = 0 then Gc.compact ();
    sum := !sum + f 4 + f 5 + (List.hd l ()) 1 + c.(0) () + snd (m ()) + Lazy.force z + Lazy.force x
           + List.length (Lazy.force y) + r.f 7 + (Lazy.force r.again).f 4 + (List.hd r.tail).f 2
           + fst p 5 + snd p 8;
    assert (b () == a && Even.is 10 && Odd.is 7)
  done;
  print_int !sum;
  print_newline ();
  (try let rec x = lazy (Lazy.force x + 1) in print_int (Lazy.force x) with Lazy.Undefined -> print_endline "undefined")
