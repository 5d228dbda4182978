(* Indices out of bounds and divisions by zero as control flow: the handler is in the same function, in a caller, around a
   loop, outside of the function's calls; nothing else handles them. *)
let rounds = 1200
let ints name f =
  Printf.printf "%s: %d\n" name (List.fold_left (fun h i -> ((h * 31) + f i) land 0xffffff) 7 (List.init rounds Fun.id))

let numbers = Array.init 8 (fun i -> i * i)
let floats = Array.init 8 (fun i -> float_of_int i /. 2.)
let flat = Float.Array.init 8 float_of_int
let text = "an index that is out of bounds"
let bytes = Bytes.of_string text

let caught f = try f () with Invalid_argument m -> String.length m | Division_by_zero -> -7
let generic a i = a.(i)
let set_generic a i x = a.(i) <- x

let () =
  ints "array" (fun i -> try numbers.(i land 15) with Invalid_argument _ -> -1);
  ints "negative" (fun i -> try numbers.(3 - (i land 15)) with Invalid_argument _ -> i);
  ints "string" (fun i -> try Char.code text.[i land 63] with Invalid_argument m -> String.length m);
  ints "bytes" (fun i -> try Bytes.set bytes (i land 63) 'x'; 1 with Invalid_argument _ -> 2);
  ints "floats" (fun i -> try int_of_float (floats.(i land 15) *. 4.) with Invalid_argument _ -> 5);
  ints "stored floats" (fun i -> try floats.(i land 15) <- float_of_int i /. 3.; 3 with Invalid_argument _ -> 5);
  ints "flat" (fun i -> try int_of_float (Float.Array.get flat (i land 15)) with Invalid_argument _ -> 5);
  ints "quotient" (fun i -> try 1000 / (i land 3) with Division_by_zero -> 5);
  ints "remainder" (fun i -> try i mod ((i land 3) - 1) with Division_by_zero -> 5);
  ints "minus one" (fun i -> (try min_int / ((i land 1) - 1) with Division_by_zero -> 3) land 0xff);
  ints "callers" (fun i -> caught (fun () -> numbers.(i land 15)) + caught (fun () -> 7 / (i land 1)));
  ints "generic" (fun i ->
      let a = caught (fun () -> generic numbers (i land 15)) and b = caught (fun () -> int_of_float (generic floats (i land 15))) in
      a + b + String.length (try generic [| "a"; "bc" |] (i land 3) with Invalid_argument m -> m));
  ints "generic stores" (fun i ->
      caught (fun () -> set_generic floats (i land 15) 1.5; 1) + caught (fun () -> set_generic numbers (i land 15) i; 2));
  ints "mapped" (fun i -> int_of_float (Array.fold_left ( +. ) 0. (Array.map (fun x -> x +. float_of_int (i land 3)) floats)))

(* With values in registers, floats without blocks, and words pushed since the handler. *)
let leave_loop limit =
  let total = ref 0. and i = ref 0 in
  (try
     while true do
       total := !total +. float_of_int numbers.(!i) +. 0.5;
       incr i;
       if !i > limit then ignore (1 / (limit - limit))
     done
   with Invalid_argument _ -> total := !total +. 100. | Division_by_zero -> total := -. !total);
  int_of_float (!total *. 2.) + !i

let rec nested n = if n = 0 then numbers.(100) else try 1 + nested (n - 1) with Invalid_argument _ when n land 3 = 3 -> n
let inlined a i = a.(i) + (10 / i)
let pushed i = (i, (try [ i; numbers.(i); 12 / (i land 3) ] with Division_by_zero -> [ i ] | Invalid_argument _ -> []), "x" ^ string_of_int i)

let () =
  ints "loops" (fun i -> leave_loop (i land 15));
  ints "nested" (fun i -> nested ((i land 15) + 3));
  ints "inlined" (fun i -> try inlined numbers (i land 15) with Invalid_argument _ -> 3 | Division_by_zero -> 4);
  ints "pushed" (fun i -> let a, l, s = pushed (i land 15) in a + List.length l + String.length s);
  ints "cleanup" (fun i -> try Fun.protect ~finally:(fun () -> ignore (Sys.opaque_identity i)) (fun () -> numbers.(i land 15)) with Invalid_argument _ -> 9);
  Printexc.record_backtrace true;
  ints "recorded" (fun i -> try numbers.(i land 15) with Invalid_argument _ -> String.length (Printexc.get_backtrace ()));
  Printexc.record_backtrace false;
  ignore (List.init rounds (fun i -> numbers.(if i = rounds - 1 then i else i land 7)))
