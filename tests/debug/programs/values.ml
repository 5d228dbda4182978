type point = { x : float; y : float }
type mixed = { a : int; mutable b : float; s : string }
type colour = Red | Green | Blue of int | Pair of int * string
type 'a inline = Rec of { left : 'a; right : 'a list }
type poly = [ `A | `B of int ]

module M = Map.Make (Int)

class counter start = object
  val mutable n = start
  method incr = n <- n + 1
  method get = n
end

let show (tuple : int * float * string) (floats : float array) (record : mixed) (point : point)
    (boxed : int64 * int32 * nativeint * int) (f : int -> int) (later : int Lazy.t)
    (obj : counter) (variants : colour list) (chars : char * bool * string) =
  let inner = (tuple, boxed) in
  ignore (floats, record, point, f, later, obj, variants, chars);
  fst inner

let () =
  let record = { a = 3; b = 4.5; s = "ess" } in
  let point = { x = 1.0; y = -2.5e10 } in
  let deep = [[1; 2]; [3]; []] in
  let boxed = (77L, 5l, 9n, 1 lsl 40) in
  let later = lazy (print_endline "forced"; 3) in
  let obj = new counter 4 in
  obj#incr;
  let map = M.add 1 "one" (M.add 2 "two" M.empty) in
  let poly : poly list = [`A; `B 3] in
  let nested = Some (Ok (Rec { left = 1; right = [2; 3] }) : (int inline, string) result) in
  let big = Array.init 400 (fun i -> i * i) in
  let cyclic = let rec l = 1 :: 2 :: l in l in
  let r = ref [|"a"; "b"|] in
  let bytes = Bytes.make 3 'z' in
  let unit = () in
  let matrix = Array.make_matrix 2 2 0.5 in
  let variants = [Red; Green; Blue 3; Pair (4, "p")] in
  let result = show (1, 2.5, "hi") [|1.5; 2.5|] record point boxed (fun x -> x + 1) later obj
      variants ('c', true, "q\"uo\n\000te") in
  ignore (deep, map, poly, nested, big, List.hd cyclic, r, bytes, unit, matrix, result);
  record.b <- 0.125;
  (!r).(0) <- "changed";
  Bytes.set bytes 1 'y';
  print_int (Lazy.force later + obj#get);
  print_newline ()
