(* stress: no: a collection removes forwarding blocks *)
(* Lazy: tags before, during and after forcing; exceptions; recursion; the primitives of CamlinternalLazy. *)
let p fmt = Printf.printf (fmt ^^ "\n%!")
external to_forcing : Obj.t -> int = "caml_lazy_update_to_forcing"
external reset : Obj.t -> unit = "caml_lazy_reset_to_lazy"
external to_forward : Obj.t -> unit = "caml_lazy_update_to_forward"
external read_result : Obj.t -> Obj.t = "caml_lazy_read_result"
external make_forward : Obj.t -> Obj.t = "caml_lazy_make_forward"
let tag x = let r = Obj.repr x in if Obj.is_int r then 1000 else Obj.tag r
let attempt name f = match f () with
  | x -> p "%s: %s" name x
  | exception e -> p "%s raised %s" name (Printexc.to_string e)

let () =
  let l = lazy (print_string "[forced] "; 1 + 1) in
  p "before %d %b" (tag l) (Lazy.is_val l);
  p "value %d" (Lazy.force l);
  p "after %d %b again %d" (tag l) (Lazy.is_val l) (Lazy.force l);
  let rec during = lazy (tag during) in
  p "during %d, after %d" (Lazy.force during) (tag during);
  let f = lazy (float_of_int (Sys.opaque_identity 3)) in
  p "float %g tag %d" (Lazy.force f) (tag f);
  let nested = lazy (lazy (lazy 3)) in
  p "nested %d" (Lazy.force (Lazy.force (Lazy.force nested)));
  p "from_val %d %d %d" (tag (Lazy.from_val 3)) (tag (Lazy.from_val "x")) (tag (Lazy.from_val 1.5));
  p "from_val of lazy %d" (tag (Lazy.from_val (lazy (print_string ""))))

let () =
  let count = ref 0 in
  let l = lazy (incr count; failwith "no value") in
  attempt "first" (fun () -> Lazy.force l);
  p "tag %d" (tag l);
  attempt "second" (fun () -> Lazy.force l);
  p "computed %d" !count;
  attempt "force_val" (fun () -> Lazy.force_val l);
  let rec self = lazy (Lazy.force self + 1) in
  attempt "self" (fun () -> string_of_int (Lazy.force self));
  attempt "self again" (fun () -> string_of_int (Lazy.force self));
  let rec v = lazy (Lazy.force_val v + 1) in
  attempt "val" (fun () -> string_of_int (Lazy.force_val v));
  attempt "val again" (fun () -> string_of_int (Lazy.force_val v));
  p "tag %d" (tag v)

let () =
  let l = Obj.repr (lazy (print_string "never\n")) in
  p "to_forcing %d tag %d" (to_forcing l) (Obj.tag l);
  p "to_forcing again %d" (to_forcing l);
  reset l;
  p "reset: tag %d" (Obj.tag l);
  p "to_forcing %d" (to_forcing l);
  Obj.set_field l 0 (Obj.repr "result");
  p "read_result of a forcing block is itself: %b" (read_result l == l);
  to_forward l;
  p "forward: tag %d, %s" (Obj.tag l) (Obj.obj (read_result l));
  p "to_forcing of forward %d, of int %d, of string %d, of tuple %d" (to_forcing l) (to_forcing (Obj.repr 5))
    (to_forcing (Obj.repr "s")) (to_forcing (Obj.repr (1, 2)));
  p "read_result of int %d, of string %s" (Obj.obj (read_result (Obj.repr 5))) (Obj.obj (read_result (Obj.repr "s")));
  let f = make_forward (Obj.repr [ 1; 2 ]) in
  p "make_forward %d %d" (Obj.tag f) (List.length (Obj.obj (read_result f)))

(* Forcing over collections: young and old suspensions, values that move. *)
let () =
  let all = Array.init 3000 (fun i -> lazy (ignore (Array.make (i mod 400) i); [ i; i + 1 ])) in
  Gc.full_major ();
  Array.iteri (fun i l -> if i mod 3 = 0 then ignore (Lazy.force l)) all;
  Gc.minor ();
  Array.iteri (fun i l -> if i mod 7 = 0 then Gc.minor (); assert (Lazy.force l = [ i; i + 1 ])) all;
  Gc.full_major ();
  p "sum %d" (Array.fold_left (fun s l -> s + List.hd (Lazy.force l)) 0 all);
  let rec from n = lazy (`Cons (n, from (n + 1))) in
  let rec nth l n = match Lazy.force l with `Cons (x, _) when n = 0 -> x | `Cons (_, r) -> nth r (n - 1) in
  p "stream %d" (nth (from 0) 50000);
  p "equal %b" (Lazy.from_val 3 = Lazy.from_val 3)
