(* Functions small enough to be compiled in place of their calls: each caller runs until it is hot with the function that
   is expected there, then with others. *)
let rounds = 1200

let show name r = Printf.printf "%s: %s\n" name r
let ints name f = show name (string_of_int (List.fold_left (fun h i -> ((h * 31) + f i) land 0xffffff) 7 (List.init rounds Fun.id)))
let tried f = try string_of_int (f ()) with e -> Printexc.to_string e

(* Straight code, several ways, ways that join at the return. *)
let square x = x * x
let larger a b = if a > b then a else b
let both a b = a > 3 && b < 900
let size = function [] -> 0 | [ _ ] -> 1 | _ :: _ :: _ -> 2
let kind = function 0 -> 'a' | 1 -> 'b' | 2 -> 'c' | 3 -> 'd' | 4 -> 'e' | _ -> 'z'
let same x = x
let nothing _ = ()
let four a b c d = (a - b) lxor (c + d)

let () =
  ints "straight" (fun i -> square i + square (i + 1));
  ints "ways" (fun i -> larger i 500 + larger (i land 7) 3 - larger 1 i);
  ints "joined" (fun i -> if both i (i land 1023) then 1 else if both (i land 3) 5 then 2 else 3);
  ints "lists" (fun i -> size [] + size [ i ] + size [ i; i ] + size (List.init (i land 3) Fun.id));
  ints "switch" (fun i -> Char.code (kind (i land 7)));
  ints "identity" (fun i -> let j = same i in let k = same j in i + j + k + same 5);
  ints "unit" (fun i -> nothing i; (match nothing () with () -> i));
  ints "four" (fun i -> 1 + four i 2 (i * 3) 4 + four 1 i i (four 2 3 4 i));
  ints "tail" (fun i -> let j = i land 15 in if j > 8 then larger j i else if j > 4 then square j else four i j i j)

(* By a functor's argument, a sibling, a field of a global. *)
module Sum (M : sig val weight : int -> int -> int end) = struct
  let rec sum i j = if j = 0 then 0 else M.weight i j + sum i (j - 1)
end
module A = Sum (struct let weight i j = i + j end)
module B = Sum (struct let weight i j = i - (2 * j) end)
module C = Sum (struct let weight i j = if j = 2 then raise Exit else i end)

let rec even i = if i = 0 then true else odd (i - 1)
and odd i = if i = 0 then false else even (i - 1)
and step i = i + 2
and count i = if i > 20 then 0 else 1 + count (step i)

let () =
  ints "functor" (fun i -> A.sum i 3);
  ints "other instance" (fun i -> B.sum i 3);
  ints "raising instance" (fun i -> try C.sum i (i land 3) with Exit -> -1);
  ints "sibling" (fun i -> count (i land 15) + if even (i land 7) then 1 else 0);
  ints "global" (fun i -> abs (600 - i) + fst (i, 3) + snd (4, i) + Char.code (Char.uppercase_ascii (Char.chr (i land 127))))

(* Floats that no block holds. *)
let scale x y = x *. y
let half x = x /. 2.
let close a b = abs_float (a -. b) < 0.25

let apply_all functions =
  let total = ref 0. in
  List.iter (fun f -> for i = 1 to 50 do total := !total +. f (float_of_int i) (half (float_of_int i)) done) functions;
  !total

let combine f =
  let join x y = let a = f x y in let b = f y x in if a > b then a -. b else b +. 1. in
  let total = ref 0. in
  for i = 1 to rounds do total := !total +. join (float_of_int i) 3. done;
  !total

let () =
  let total = ref 0. in
  for i = 1 to rounds do
    let x = float_of_int i in
    let y = scale x 0.5 in
    if close y (half x) then total := !total +. scale y y -. half (scale x x)
  done;
  Printf.printf "floats: %.6f %.6f\n" !total (apply_all [ scale; (fun a b -> a +. b); (fun a _ -> a) ]);
  Printf.printf "other functions: %.6f %.6f %.6f\n" (combine scale) (combine ( -. )) (combine (fun a b -> if a > b then a else b))

(* What an inlined function raises, and what its allocations' call stacks are. *)
let item a i = a.(i)
let divide a b = a / b
let pair a b = (a, b)
let triple a b = let c = pair b a in (a, b, c)

let () =
  let a = Array.init 10 square in
  ints "bounds" (fun i -> try item a (i land 15) + 1 with Invalid_argument s -> String.length s);
  ints "division" (fun i -> try divide i (i land 3) with Division_by_zero -> -i);
  show "last" (tried (fun () -> item a 99));
  show "zero" (tried (fun () -> 1 + divide 3 0))

let depth_of_samples () =
  let depths = Hashtbl.create 7 in
  let note (info : Gc.Memprof.allocation) =
    if info.size >= 2 then begin
      let key = (info.size, Printexc.raw_backtrace_length info.callstack) in
      Hashtbl.replace depths key (1 + Option.value ~default:0 (Hashtbl.find_opt depths key))
    end;
    None
  in
  let work () =
    let n = ref 0 in
    for i = 1 to rounds do
      let a, _, (c, _) = triple i (i + 1) in
      n := !n + a + c + fst (pair i 2)
    done;
    !n
  in
  let warm = work () in
  Gc.Memprof.start ~sampling_rate:1.0 ~callstack_size:20 { Gc.Memprof.null_tracker with alloc_minor = note };
  let sampled = work () in
  Gc.Memprof.stop ();
  let all = List.sort compare (Hashtbl.fold (fun (s, d) n l -> (s, d, n) :: l) depths []) in
  Printf.printf "samples: %b\n" (warm = sampled);
  List.iter (fun (s, d, n) -> if n > 100 then Printf.printf "  %d words, %d frames, %d\n" s d n) all

let () = depth_of_samples ()

(* Inlined functions that call C: with both frames in memory, and the callee's variables after it. *)
let order (a : string) b = compare a b
let same_text a b = compare a b = 0
let number s = int_of_string s + 1
let name n = "n" ^ string_of_int n
let hashed key limit = Hashtbl.hash key land limit
let stacked n = Printexc.raw_backtrace_length (Printexc.get_callstack 100) - n
let copied s = (Bytes.sub_string (Bytes.of_string s) 0 1, s)

external hash : int -> int -> int -> 'a -> int = "caml_hash" [@@noalloc]

(* Variables of both closures after the call of C; one returns itself, one is returned. *)
let captured least bound =
  let within t = (hash 10 100 0 t land bound) + String.length least in
  let first t = if compare t least < 0 then within else within in
  let total = ref bound in
  for i = 0 to rounds do
    let t = if i land 1 = 0 then least else "other" in
    total := (!total * 3 + within t + bound + (first t) least) land 0xffffff
  done;
  !total

type self = Self of (int -> (self * int) option)

let user weight texts =
  let prefer a b = let c = order a b in if c = 0 then weight else c * weight in
  let rec itself n = if compare (name n) "x" > 0 then None else Some (Self itself, n + weight) in
  let best = ref (List.hd texts) and longest = ref 0. in
  for k = 0 to rounds do
    let t = List.nth texts (k mod 3) in
    longest := !longest +. float_of_int (String.length t) *. 0.5;
    if prefer t !best > 0 then best := t;
    match itself k with Some (Self f, m) -> if f != itself || m <> k + weight then best := "wrong" | None -> best := "none"
  done;
  Printf.sprintf "%s %.1f" !best !longest

let () =
  let texts = [| "one"; "two"; "a longer text"; "" |] in
  ints "order" (fun i -> order texts.(i land 3) "one" + order "two" texts.(i land 1));
  ints "equal" (fun i -> if same_text i (i land 63) then 1 else if same_text texts.(i land 3) "two" then 2 else 3);
  ints "numbers" (fun i -> try number (if i land 7 = 0 then "none" else string_of_int i) with Failure s -> String.length s);
  ints "hashes" (fun i -> hashed i 255 + hashed texts.(i land 3) 1023 + hashed (i, texts) 15);
  ints "callstacks" (fun i -> stacked i);
  ints "copies" (fun i -> let a, b = copied (string_of_int i) in String.length a + String.length b);
  ints "captured" (fun i -> if i > 3 then i else captured (String.make i 'k') (i + 30));
  show "users" (user 3 [ "one"; "two"; "three" ]);
  show "other users" (user (-2) [ "xyz"; "abc"; "" ]);
  show "failure" (tried (fun () -> number "12x"))
