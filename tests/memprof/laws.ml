(* flags: -g *)
(* The laws of sampling, for one rate: laws RATE MILLIONS_OF_WORDS. Prints what is broken; a sound
   sampler breaks a line in fewer than one run of a million.

   Of N words offered at rate p, S samples: |S - N p| <= 6 sqrt (N p (1 - p)), in all and for each
   kind of block; multiplicities of a block of W words are Binomial (W, p); gaps between sampled
   blocks are geometric. *)
let rate = float_of_string Sys.argv.(1)
let millions = float_of_string Sys.argv.(2)
let broken = ref 0
let complain fmt = Printf.ksprintf (fun s -> incr broken; print_endline s) fmt

type kind = { name : string; words : int; mutable offered : int; mutable samples : int; mutable events : int }
let kinds = ref []
let kind name words =
  let k = { name; words; offered = 0; samples = 0; events = 0 } in
  kinds := k :: !kinds;
  k

let ref_ = kind "ref" 2 and triple = kind "triple" 4 and nine = kind "nine" 10
let c_array = kind "array of C" 13 and c_bytes = kind "bytes" 21
let large = kind "large array" 301
let small_message = kind "small message" 6 and large_message = kind "large message" 302
let custom = kind "custom memory" 100

(* Blocks of nine: where the last one was sampled, and what was seen. *)
let index = ref 0 and last = ref 0
let gaps = Hashtbl.create 1000 and multiplicities = Array.make 11 0
let only_known = ref true

let note generation (a : Gc.Memprof.allocation) =
  let k = match a.source, a.size with
    | Custom, 100 -> Some custom
    | Marshal, 5 -> Some small_message
    | Marshal, 301 -> Some large_message
    | Normal, 1 -> Some ref_ | Normal, 3 -> Some triple | Normal, 9 -> Some nine
    | Normal, 12 -> Some c_array | Normal, 20 -> Some c_bytes | Normal, 300 -> Some large
    | _ -> None in
  (match k with
   | None -> ()
   | Some k ->
     k.samples <- k.samples + a.n_samples;
     k.events <- k.events + 1;
     if a.n_samples < 1 || a.n_samples > k.words then complain "%s: %d samples" k.name a.n_samples;
     if k == nine then begin
       let gap = !index - !last in
       last := !index;
       Hashtbl.replace gaps gap (1 + try Hashtbl.find gaps gap with Not_found -> 0);
       multiplicities.(a.n_samples) <- multiplicities.(a.n_samples) + 1
     end;
     let minor = k != large && k != large_message in
     if minor <> (generation = 0) then complain "%s in the wrong heap" k.name);
  None

let tracker : (unit, unit) Gc.Memprof.tracker =
  { Gc.Memprof.null_tracker with alloc_minor = note 0; alloc_major = note 1 }

let small_text = Marshal.to_string (1, 2, 3, 4, 5) [] and large_text = Marshal.to_string (Array.make 301 0) []
let offer k n = k.offered <- k.offered + n * k.words

(* Every kind in turn; most words are bytecode's own small blocks. *)
let rounds = int_of_float (millions *. 1e6 /. 16.)
let rare = 64
let run () =
  for i = 1 to rounds do
    ignore (Sys.opaque_identity (ref i));
    ignore (Sys.opaque_identity (i, i, i));
    incr index;
    ignore (Sys.opaque_identity (i, i, i, i, i, i, i, i, i));
    if i land (rare - 1) = 0 then begin
      ignore (Sys.opaque_identity (Array.make 12 i));
      ignore (Sys.opaque_identity (Bytes.create 159));
      ignore (Sys.opaque_identity (Marshal.from_string small_text 0 : int * int * int * int * int));
      if i land (16 * rare - 1) = 0 then begin
        ignore (Sys.opaque_identity (Array.make 300 i));
        ignore (Sys.opaque_identity (Marshal.from_string large_text 0 : int array));
        ignore (Sys.opaque_identity (Bigarray.(Array1.create char c_layout 800)))
      end
    end
  done

let check_counts () =
  List.iter (fun n -> offer n rounds) [ ref_; triple; nine ];
  List.iter (fun n -> offer n (rounds / rare)) [ c_array; c_bytes; small_message ];
  List.iter (fun n -> offer n (rounds / (16 * rare))) [ large; large_message; custom ];
  offer ref_ (rounds / (16 * rare)); (* the list of a bigarray's dimensions *)
  let check name offered samples =
    let n = float_of_int offered in
    let expected = n *. rate and sd = sqrt (n *. rate *. (1. -. rate)) in
    (* A normal law is no good for a handful of samples. *)
    if abs_float (float_of_int samples -. expected) > 6. *. sd +. 20. *. exp (-. sd) +. 0.5 then
      complain "%s: %d samples, %.1f expected, deviation %.1f" name samples expected sd in
  let check_events k =
    let blocks = float_of_int (k.offered / k.words) in
    let p = -. expm1 (float_of_int k.words *. log1p (-. rate)) in
    let sd = sqrt (blocks *. p *. (1. -. p)) in
    if abs_float (float_of_int k.events -. blocks *. p) > 6. *. sd +. 20. *. exp (-. sd) +. 0.5 then
      complain "%s: %d events, %.1f expected, deviation %.1f" k.name k.events (blocks *. p) sd in
  let sum f = List.fold_left (fun s k -> s + f k) 0 !kinds in
  check "all" (sum (fun k -> k.offered)) (sum (fun k -> k.samples));
  List.iter (fun k -> if k.offered > 0 then begin check k.name k.offered k.samples; check_events k end) !kinds

(* Chi squared over classes (observed, expected), those below 8 put together. *)
let chi_squared name classes limit =
  let rec go rest pool_o pool_e sum n = match rest with
    | [] ->
      let sum, n = if pool_e > 0. && pool_e >= 8. then sum +. (pool_o -. pool_e) ** 2. /. pool_e, n + 1 else sum, n in
      if n > 1 && sum > limit then complain "%s: chi squared %.1f of %d classes" name sum n
    | (o, e) :: rest ->
      let o = o +. pool_o and e = e +. pool_e in
      if e >= 8. then go rest 0. 0. (sum +. (o -. e) ** 2. /. e) (n + 1) else go rest o e sum n in
  go classes 0. 0. 0. 0

let check_multiplicities () =
  let choose = Array.make 11 1. in
  for k = 1 to 10 do choose.(k) <- choose.(k - 1) *. float_of_int (11 - k) /. float_of_int k done;
  multiplicities.(0) <- rounds - Array.fold_left ( + ) 0 multiplicities;
  let expected k =
    float_of_int rounds *. choose.(k) *. rate ** float_of_int k *. (1. -. rate) ** float_of_int (10 - k) in
  chi_squared "multiplicities" (List.init 11 (fun k -> float_of_int multiplicities.(k), expected k)) 65.

let check_gaps () =
  let q = 10. *. log1p (-. rate) in (* log of the chance that a block is passed over *)
  let n = float_of_int nine.events in
  let classes = 10 in
  let bound i = if i = classes then max_int else int_of_float (ceil (log1p (-. float_of_int i /. 10.) /. q)) in
  let chance_up_to g = if g = max_int then 1. else -. expm1 (float_of_int g *. q) in
  let observed = Array.make classes 0 in
  Hashtbl.iter (fun gap count ->
    let rec find i = if gap <= bound (i + 1) then i else find (i + 1) in
    let i = find 0 in
    observed.(i) <- observed.(i) + count) gaps;
  (* The end of the run cuts the last gap: enough of them make that nothing. *)
  if n > 400. then
    chi_squared "gaps"
      (List.init classes (fun i ->
        float_of_int observed.(i), n *. (chance_up_to (bound (i + 1)) -. chance_up_to (bound i)))) 70.

let () =
  Gc.Memprof.start ~callstack_size:2 ~sampling_rate:rate tracker;
  run ();
  ignore (Sys.opaque_identity (ref 0));
  Gc.Memprof.stop ();
  check_counts ();
  check_multiplicities ();
  check_gaps ();
  Printf.printf "%d laws broken\n" !broken;
  exit (min !broken 1)
