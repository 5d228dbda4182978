(* Saturn's structures against models: random commands, first one after another, then from two
   domains or threads.  One model is wrong; its smallest counterexample must be found. *)
open QCheck

let values = Gen.int_bound 9
let shown = Printf.sprintf

(* A deque: its owner pushes and pops at one end, another domain steals at the other. *)
module Deque = struct
  module D = Saturn.Work_stealing_deque
  include STM.SpecDefaults
  type cmd = Push of int | Pop | Steal
  type state = int list (* the owner's end first *)
  type sut = int D.t

  let show_cmd = function Push n -> shown "Push %d" n | Pop -> "Pop" | Steal -> "Steal"
  let owner _ = make ~print:show_cmd Gen.(oneof [ map (fun n -> Push n) values; return Pop ])
  let thief _ = make ~print:show_cmd (Gen.return Steal)
  let arb_cmd s = choose [ owner s; thief s ]
  let init_state = [ 3; 2; 1 ]
  let init_sut () = D.of_list [ 1; 2; 3 ]

  let next_state cmd state =
    match cmd, state with
    | Push n, _ -> n :: state
    | Pop, _ :: rest -> rest
    | Steal, _ :: _ -> List.rev (List.tl (List.rev state))
    | (Pop | Steal), [] -> []

  let run cmd d : STM.res =
    match cmd with
    | Push n -> Res (STM.unit, D.push d n)
    | Pop -> Res (STM.(option int), D.pop_opt d)
    | Steal -> Res (STM.(option int), D.steal_opt d)

  let postcond cmd (state : state) (res : STM.res) =
    match cmd, res with
    | Push _, Res ((STM.Unit, _), ()) -> true
    | Pop, Res ((STM.Option STM.Int, _), (found : int option)) ->
      found = List.nth_opt state 0
    | Steal, Res ((STM.Option STM.Int, _), (found : int option)) ->
      found = List.nth_opt (List.rev state) 0
    | _ -> false
end

module Bag_of_slots = struct
  module H = Saturn.Htbl
  include STM.SpecDefaults
  type cmd = Add of int * int | Set of int * int | Remove of int | Find of int | Length
  type state = (int * int) list
  type sut = (int, int) H.t

  let show_cmd = function
    | Add (k, v) -> shown "Add (%d, %d)" k v
    | Set (k, v) -> shown "Set (%d, %d)" k v
    | Remove k -> shown "Remove %d" k
    | Find k -> shown "Find %d" k
    | Length -> "Length"

  let arb_cmd _ =
    let key = Gen.int_bound 4 in
    make ~print:show_cmd
      Gen.(oneof [ map2 (fun k v -> Add (k, v)) key values; map2 (fun k v -> Set (k, v)) key values;
                   map (fun k -> Remove k) key; map (fun k -> Find k) key; return Length ])

  let init_state = []
  let init_sut () = H.create ~min_buckets:2 ~max_buckets:4 ()

  let next_state cmd state =
    match cmd with
    | Add (k, v) -> if List.mem_assoc k state then state else (k, v) :: state
    | Set (k, v) when List.mem_assoc k state -> (k, v) :: List.remove_assoc k state
    | Remove k -> List.remove_assoc k state
    | Set _ | Find _ | Length -> state

  let run cmd t : STM.res =
    match cmd with
    | Add (k, v) -> Res (STM.bool, H.try_add t k v)
    | Set (k, v) -> Res (STM.bool, H.try_set t k v)
    | Remove k -> Res (STM.(result int exn), STM.protect (H.remove_exn t) k)
    | Find k -> Res (STM.(option int), H.find_opt t k)
    | Length -> Res (STM.int, H.length t)

  let postcond cmd (state : state) (res : STM.res) =
    match cmd, res with
    | Add (k, _), Res ((STM.Bool, _), (added : bool)) -> added <> List.mem_assoc k state
    | Set (k, _), Res ((STM.Bool, _), (set : bool)) -> set = List.mem_assoc k state
    | Remove k, Res ((STM.Result (STM.Int, STM.Exn), _), (removed : (int, exn) result)) ->
      removed = (try Ok (List.assoc k state) with Not_found -> Error Not_found)
    | Find k, Res ((STM.Option STM.Int, _), (found : int option)) ->
      found = List.assoc_opt k state
    | Length, Res ((STM.Int, _), (length : int)) -> length = List.length state
    | _ -> false
end

module Counter = struct
  include STM.SpecDefaults
  type cmd = Incr | Add of int | Get | Swap of int | Cas of int * int
  type state = int
  type sut = int Atomic.t

  let show_cmd = function
    | Incr -> "Incr"
    | Add n -> shown "Add %d" n
    | Get -> "Get"
    | Swap n -> shown "Swap %d" n
    | Cas (a, b) -> shown "Cas (%d, %d)" a b

  let arb_cmd state =
    make ~print:show_cmd
      Gen.(oneof [ return Incr; map (fun n -> Add n) values; return Get;
                   map (fun n -> Swap n) values;
                   map2 (fun a b -> Cas (a, b)) (oneofl [ state; 0 ]) values ])

  let init_state = 0
  let init_sut () = Atomic.make 0

  let next_state cmd n =
    match cmd with
    | Incr -> n + 1
    | Add k -> n + k
    | Get -> n
    | Swap k -> k
    | Cas (a, b) -> if n = a then b else n

  let run cmd r : STM.res =
    match cmd with
    | Incr -> Res (STM.unit, Atomic.incr r)
    | Add k -> Res (STM.int, Atomic.fetch_and_add r k)
    | Get -> Res (STM.int, Atomic.get r)
    | Swap k -> Res (STM.int, Atomic.exchange r k)
    | Cas (a, b) -> Res (STM.bool, Atomic.compare_and_set r a b)

  let postcond cmd (n : state) (res : STM.res) =
    match cmd, res with
    | Incr, Res ((STM.Unit, _), ()) -> true
    | (Add _ | Get | Swap _), Res ((STM.Int, _), (old : int)) -> old = n
    | Cas (a, _), Res ((STM.Bool, _), (done_ : bool)) -> done_ = (n = a)
    | _ -> false
end

(* Forgets that a swap stores. *)
module Wrong_counter = struct
  include Counter
  let next_state cmd n = match cmd with Swap _ -> n | _ -> next_state cmd n
end

module Deque_seq = STM_sequential.Make (Deque)
module Deque_dom = STM_domain.Make (Deque)
module Slots_seq = STM_sequential.Make (Bag_of_slots)
module Slots_dom = STM_domain.Make (Bag_of_slots)
module Counter_dom = STM_domain.Make (Counter)
module Counter_thread = STM_thread.Make (Counter)
module Wrong_seq = STM_sequential.Make (Wrong_counter)

let owner_and_thief =
  Test.make ~count:30 ~name:"deque, its owner and a thief"
    (Deque_dom.arb_triple_asym 8 6 Deque.arb_cmd Deque.owner Deque.thief)
    (fun triple ->
      assume (Deque_dom.all_interleavings_ok triple);
      Util.repeat 3 Deque_dom.agree_prop_par_asym triple)

let () =
  QCheck_base_runner.run_tests_main
    [ Deque_seq.agree_test ~count:200 ~name:"deque, one after another"; owner_and_thief;
      Slots_seq.agree_test ~count:200 ~name:"table, one after another";
      Slots_dom.agree_test_par ~count:10 ~name:"table, domains";
      Slots_dom.stress_test_par ~count:10 ~name:"table, stress";
      Counter_dom.agree_test_par ~count:10 ~name:"counter, domains";
      Counter_dom.agree_test_par_asym ~count:10 ~name:"counter, this domain and another";
      Counter_thread.agree_test_conc ~count:10 ~name:"counter, threads";
      Wrong_seq.agree_test ~count:200 ~name:"a wrong model" ]
