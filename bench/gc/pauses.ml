(* How long the collector keeps a program waiting: the CPU time of each step of a loop, whose
   own work takes some microseconds. CPU time, since the wall clock also shows what
   other programs do.

   records: a heap of records of 22 fields, 500 MB of them with the argument 2700000, replaced and
   linked anew at random. tracked: the same under Gc.Memprof, with a rate as last argument. churn:
   many small maps, of which one after the other changes. *)
module Map = Map.Make (Int)

let seed = ref 1

let random bound =
  seed := ((!seed * 1103515245) + 12345) land 0x3fffffff;
  !seed lsr 4 mod bound

let report gaps =
  Array.sort compare gaps;
  let n = Array.length gaps in
  let at share = gaps.(min (n - 1) (int_of_float (share *. float n))) *. 1e3 in
  Printf.printf "p50 %.3f\np99 %.3f\np99.9 %.3f\np99.99 %.3f\nmax %.3f\n" (at 0.5) (at 0.99)
    (at 0.999) (at 0.9999)
    (gaps.(n - 1) *. 1e3)

let measure steps step =
  let gaps = Array.make steps 0. in
  let last = ref (Sys.time ()) in
  for i = 0 to steps - 1 do
    step ();
    let now = Sys.time () in
    gaps.(i) <- now -. !last;
    last := now
  done;
  report gaps

let records n steps =
  let nothing = Obj.repr 0 in
  let make i =
    let r = Array.make 22 nothing in
    r.(0) <- Obj.repr i;
    r
  in
  let all = Array.init n make in
  measure steps (fun () ->
      for _ = 1 to 10 do
        let i = random n in
        if i land 3 = 0 then all.(i) <- make i;
        let from = all.(i) in
        from.(1 + (i mod 21)) <- Obj.repr all.(random n)
      done)

let track rate =
  let size (a : Gc.Memprof.allocation) = Some (ref a.size) and ended _ = () in
  Gc.Memprof.start ~callstack_size:4 ~sampling_rate:rate
    { alloc_minor = size; alloc_major = size; promote = (fun r -> Some r); dealloc_minor = ended;
      dealloc_major = ended }

let churn n steps =
  let maps = Array.make n Map.empty in
  measure steps (fun () ->
      for _ = 1 to 5 do
        let i = random n in
        let map = maps.(i) in
        let map = if Map.cardinal map > 30 then Map.empty else map in
        maps.(i) <- Map.add (random 1000) i map
      done)

let () =
  let n = int_of_string Sys.argv.(2) and steps = int_of_string Sys.argv.(3) in
  match Sys.argv.(1) with
  | "records" -> records n steps
  | "tracked" -> track (float_of_string Sys.argv.(4)); records n steps
  | _ -> churn n steps
