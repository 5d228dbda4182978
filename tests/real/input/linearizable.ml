(* Are the structures of Saturn linearizable?  Random calls from two domains, or two threads; the
   results must be those of some order of the calls. *)
open Lin

let value = nat_small

module Queue_api = struct
  module Q = Saturn.Queue
  type t = int Q.t
  let init () = Q.create ()
  let cleanup _ = ()
  let api =
    [ val_freq 2 "Queue.push" Q.push (t @-> value @-> returning unit);
      val_freq 2 "Queue.pop_opt" Q.pop_opt (t @-> returning (option value));
      val_ "Queue.pop_exn" Q.pop_exn (t @-> returning_or_exc value);
      val_ "Queue.peek_opt" Q.peek_opt (t @-> returning (option value));
      val_ "Queue.is_empty" Q.is_empty (t @-> returning bool) ]
end

module Stack_api = struct
  module S = Saturn.Stack
  type t = int S.t
  let init () = S.of_list [ 1; 2 ]
  let cleanup _ = ()
  let api =
    [ val_freq 2 "Stack.push" S.push (t @-> value @-> returning unit);
      val_ "Stack.push_all" S.push_all (t @-> list_small value @-> returning unit);
      val_freq 2 "Stack.pop_opt" S.pop_opt (t @-> returning (option value));
      val_ "Stack.pop_all" S.pop_all (t @-> returning (list value));
      val_ "Stack.drop_exn" S.drop_exn (t @-> returning_or_exc unit) ]
end

module Bounded_api = struct
  module B = Saturn.Bounded_queue
  type t = int B.t
  let init () = B.create ~capacity:3 ()
  let cleanup _ = ()
  let api =
    [ val_freq 2 "Bounded_queue.push_exn" B.push_exn (t @-> value @-> returning_or_exc unit);
      val_ "Bounded_queue.try_push" B.try_push (t @-> value @-> returning bool);
      val_freq 2 "Bounded_queue.pop_opt" B.pop_opt (t @-> returning (option value));
      val_ "Bounded_queue.length" B.length (t @-> returning int);
      val_ "Bounded_queue.is_full" B.is_full (t @-> returning bool) ]
end

module Table_api = struct
  module H = Saturn.Htbl
  type t = (int, int) H.t
  let init () = H.create ~min_buckets:2 ()
  let cleanup _ = ()
  let key = int_bound 7
  let api =
    [ val_ "Htbl.try_add" H.try_add (t @-> key @-> value @-> returning bool);
      val_ "Htbl.try_set" H.try_set (t @-> key @-> value @-> returning bool);
      val_ "Htbl.try_remove" H.try_remove (t @-> key @-> returning bool);
      val_ "Htbl.find_opt" H.find_opt (t @-> key @-> returning (option value));
      val_ "Htbl.mem" H.mem (t @-> key @-> returning bool);
      val_ "Htbl.length" H.length (t @-> returning int) ]
end

module List_api = struct
  type t = (int, int) Saturn.Skiplist.t
  let init () = Saturn.Skiplist.create ~compare:Int.compare ()
  let cleanup _ = ()
  let key = int_bound 7
  let api =
    Saturn.Skiplist.
      [ val_ "Skiplist.try_add" try_add (t @-> key @-> value @-> returning bool);
        val_ "Skiplist.try_remove" try_remove (t @-> key @-> returning bool);
        val_ "Skiplist.find_opt" find_opt (t @-> key @-> returning (option value));
        val_ "Skiplist.length" length (t @-> returning int) ]
end

(* Not atomic: what a yield between reading and writing shows. *)
module Broken_api = struct
  type t = int ref
  let init () = ref 0
  let cleanup _ = ()
  let get r = !r
  let add r n =
    let old = !r in
    (try Lin_effect.yield () with Effect.Unhandled _ -> () (* no other fiber yet *));
    r := old + n
  let api =
    [ val_ "get" get (t @-> returning int); val_ "add" add (t @-> value @-> returning_ unit) ]
end

let tests (module Api : Spec) name =
  let module Domains = Lin_domain.Make (Api) in
  let module Threads = Lin_thread.Make (Api) [@alert "-experimental"] in
  [ Domains.lin_test ~count:4 ~name:(name ^ ", domains");
    Domains.stress_test ~count:2 ~name:(name ^ ", stress");
    Threads.lin_test ~count:5 ~name:(name ^ ", threads") ]

module Broken = Lin_effect.Make (Broken_api)

let () =
  QCheck_base_runner.run_tests_main
    (List.concat
       [ tests (module Queue_api) "queue"; tests (module Stack_api) "stack";
         tests (module Bounded_api) "bounded queue"; tests (module Table_api) "table";
         tests (module List_api) "skip list";
         [ Broken.neg_lin_test ~count:200 ~name:"a broken counter, fibers";
           Broken.lin_test ~count:200 ~name:"the same, expected to be atomic" ] ])
