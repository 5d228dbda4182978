(* Modules of the standard library as multicoretests tests them: against models, one command after
   another, or from domains and threads; and whether calls from two domains are linearizable.  What
   is not safe must be found by fibers, whose order the seed decides. *)
open QCheck

let values = Gen.int_bound 9
let shown = Printf.sprintf
let one_of show generators = make ~print:show (Gen.oneof generators)

(* A growing array, whose model is a list. *)
module Growing = struct
  module D = Dynarray
  include STM.SpecDefaults
  type cmd = Add of int | Pop | Get of int | Set of int * int | Truncate of int | Append | To_list
  type state = int list
  type sut = int D.t

  let show_cmd = function
    | Add n -> shown "Add %d" n
    | Pop -> "Pop"
    | Get i -> shown "Get %d" i
    | Set (i, n) -> shown "Set (%d, %d)" i n
    | Truncate n -> shown "Truncate %d" n
    | Append -> "Append"
    | To_list -> "To_list"

  let arb_cmd state =
    let index = Gen.int_range (-1) (List.length state) in
    one_of show_cmd
      Gen.[ map (fun n -> Add n) values; return Pop; map (fun i -> Get i) index;
            map2 (fun i n -> Set (i, n)) index values; map (fun n -> Truncate n) (int_bound 5);
            return Append; return To_list ]

  let init_state = [ 1; 2; 3 ]
  let init_sut () = D.of_list [ 1; 2; 3 ]
  let is_index i state = i >= 0 && i < List.length state
  let short state = List.length state < 100

  let next_state cmd state =
    match cmd with
    | Add n -> state @ [ n ]
    | Pop -> List.filteri (fun i _ -> i < List.length state - 1) state
    | Set (i, n) -> List.mapi (fun j old -> if i = j then n else old) state
    | Truncate n -> List.filteri (fun i _ -> i < n) state
    | Append -> if short state then state @ state else state
    | Get _ | To_list -> state

  let run cmd a : STM.res =
    match cmd with
    | Add n -> Res (STM.unit, D.add_last a n)
    | Pop -> Res (STM.(option int), D.pop_last_opt a)
    | Get i -> Res (STM.(result int exn), STM.protect (D.get a) i)
    | Set (i, n) -> Res (STM.(result unit exn), STM.protect (D.set a i) n)
    | Truncate n -> Res (STM.unit, D.truncate a n)
    | Append -> Res (STM.unit, if D.length a < 100 then D.append a (D.copy a))
    | To_list -> Res (STM.(list int), D.to_list a)

  let postcond cmd (state : state) (res : STM.res) =
    match cmd, res with
    | (Add _ | Truncate _ | Append), Res ((STM.Unit, _), ()) -> true
    | Pop, Res ((STM.Option STM.Int, _), (last : int option)) ->
      last = List.nth_opt (List.rev state) 0
    | Get i, Res ((STM.Result (STM.Int, STM.Exn), _), (found : (int, exn) result)) ->
      if is_index i state then found = Ok (List.nth state i) else Result.is_error found
    | Set (i, _), Res ((STM.Result (STM.Unit, STM.Exn), _), (set : (unit, exn) result)) ->
      Result.is_ok set = is_index i state
    | To_list, Res ((STM.List STM.Int, _), (found : int list)) -> found = state
    | _ -> false
end

(* Keys that are alive, in an ephemeron's table; some commands collect. *)
module Keyed = struct
  module H = Ephemeron.K1.Make (struct
      type t = int ref
      let equal = ( == )
      let hash r = Hashtbl.hash !r
    end)
  include STM.SpecDefaults
  type cmd = Replace of int * int | Remove of int | Find of int | Length | Clean | Collect
  type state = (int * int) list
  type sut = int H.t

  let keys = Array.init 5 ref

  let show_cmd = function
    | Replace (k, n) -> shown "Replace (%d, %d)" k n
    | Remove k -> shown "Remove %d" k
    | Find k -> shown "Find %d" k
    | Length -> "Length"
    | Clean -> "Clean"
    | Collect -> "Collect"

  let arb_cmd _ =
    let key = Gen.int_bound 4 in
    one_of show_cmd
      Gen.[ map2 (fun k n -> Replace (k, n)) key values; map (fun k -> Remove k) key;
            map (fun k -> Find k) key; return Length; return Clean; return Collect ]

  let init_state = []
  let init_sut () = H.create 1

  let next_state cmd state =
    match cmd with
    | Replace (k, n) -> (k, n) :: List.remove_assoc k state
    | Remove k -> List.remove_assoc k state
    | Find _ | Length | Clean | Collect -> state

  let run cmd t : STM.res =
    match cmd with
    | Replace (k, n) -> Res (STM.unit, H.replace t keys.(k) n)
    | Remove k -> Res (STM.unit, H.remove t keys.(k))
    | Find k -> Res (STM.(option int), H.find_opt t keys.(k))
    | Length -> Res (STM.int, H.length t)
    | Clean -> Res (STM.unit, H.clean t)
    | Collect -> Res (STM.unit, Gc.full_major ())

  let postcond cmd (state : state) (res : STM.res) =
    match cmd, res with
    | (Replace _ | Remove _ | Clean | Collect), Res ((STM.Unit, _), ()) -> true
    | Find k, Res ((STM.Option STM.Int, _), (found : int option)) ->
      found = List.assoc_opt k state
    | Length, Res ((STM.Int, _), (length : int)) -> length = List.length state
    | _ -> false
end

(* A semaphore of three. *)
module Permits = struct
  module S = Semaphore.Counting
  include STM.SpecDefaults
  type cmd = Try | Release | Value
  type state = int
  type sut = S.t

  let show_cmd = function Try -> "Try" | Release -> "Release" | Value -> "Value"
  let arb_cmd _ = make ~print:show_cmd (Gen.oneofl [ Try; Release; Value ])
  let init_state = 3
  let init_sut () = S.make 3

  let next_state cmd n =
    match cmd with Try -> max 0 (n - 1) | Release -> n + 1 | Value -> n

  let run cmd s : STM.res =
    match cmd with
    | Try -> Res (STM.bool, S.try_acquire s)
    | Release -> Res (STM.unit, S.release s)
    | Value -> Res (STM.int, S.get_value s)

  let postcond cmd (n : state) (res : STM.res) =
    match cmd, res with
    | Try, Res ((STM.Bool, _), (acquired : bool)) -> acquired = (n > 0)
    | Release, Res ((STM.Unit, _), ()) -> true
    | Value, Res ((STM.Int, _), (value : int)) -> value = n
    | _ -> false
end

(* Lists in an atomic, and a table under a lock: linearizable.  The table alone is not. *)
module Atomic_lists = struct
  open Lin
  type t = int list Atomic.t
  let init () = Atomic.make []
  let cleanup _ = ()
  let rec push r n =
    let old = Atomic.get r in
    if not (Atomic.compare_and_set r old (n :: old)) then push r n
  let api =
    [ val_ "push" push (t @-> nat_small @-> returning unit);
      val_ "get" Atomic.get (t @-> returning (list nat_small));
      val_ "take" (fun r -> Atomic.exchange r []) (t @-> returning (list nat_small)) ]
end

module Table (Guard : sig
    type t
    val make : unit -> t
    val run : t -> (unit -> 'a) -> 'a
    val between : unit -> unit
  end) = struct
  open Lin
  type t = Guard.t * (int, int) Hashtbl.t
  let init () = Guard.make (), Hashtbl.create 1
  let cleanup _ = ()
  let guarded f (guard, table) = Guard.run guard (fun () -> f table)
  let add_missing k n =
    guarded (fun table ->
      let missing = not (Hashtbl.mem table k) in
      Guard.between ();
      if missing then Hashtbl.add table k n;
      missing)
  let key = int_bound 3
  let api =
    [ val_ "add_missing" (fun t k n -> add_missing k n t)
        (t @-> key @-> nat_small @-> returning bool);
      val_ "remove" (fun t k -> guarded (fun table -> Hashtbl.remove table k) t)
        (t @-> key @-> returning unit);
      val_ "find_all" (fun t k -> guarded (fun table -> Hashtbl.find_all table k) t)
        (t @-> key @-> returning (list nat_small));
      val_ "length" (guarded Hashtbl.length) (t @-> returning int) ]
end

module Locked = Table (struct
    type t = Mutex.t
    let make = Mutex.create
    let run m f = Mutex.protect m f
    let between () = Domain.cpu_relax ()
  end)

module Unlocked = Table (struct
    type t = unit
    let make () = ()
    let run () f = f ()
    let between () = try Lin_effect.yield () with Effect.Unhandled _ -> ()
  end)

module Growing_seq = STM_sequential.Make (Growing)
module Keyed_seq = STM_sequential.Make (Keyed)
module Permits_dom = STM_domain.Make (Permits)
module Permits_thread = STM_thread.Make (Permits)
module Lists_dom = Lin_domain.Make (Atomic_lists)
module Lists_thread = Lin_thread.Make (Atomic_lists) [@alert "-experimental"]
module Locked_dom = Lin_domain.Make (Locked)
module Locked_thread = Lin_thread.Make (Locked) [@alert "-experimental"]
module Unlocked_fibers = Lin_effect.Make (Unlocked)

let () =
  QCheck_base_runner.run_tests_main
    [ Growing_seq.agree_test ~count:50 ~name:"growing array";
      Keyed_seq.agree_test ~count:20 ~name:"table of ephemerons";
      Permits_dom.agree_test_par ~count:5 ~name:"semaphore, domains";
      Permits_dom.stress_test_par ~count:3 ~name:"semaphore, stress";
      Permits_thread.agree_test_conc ~count:5 ~name:"semaphore, threads";
      Lists_dom.lin_test ~count:2 ~name:"atomic lists, domains";
      Lists_thread.lin_test ~count:2 ~name:"atomic lists, threads";
      Locked_dom.lin_test ~count:2 ~name:"locked table, domains";
      Locked_thread.lin_test ~count:2 ~name:"locked table, threads";
      Unlocked_fibers.neg_lin_test ~count:200 ~name:"table without a lock, fibers";
      Unlocked_fibers.lin_test ~count:200 ~name:"the same, expected to be linearizable" ]
