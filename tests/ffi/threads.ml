(* Several threads of OCaml's among foreign calls, and stubs that call callbacks. *)
open Ffi
open Check

external stub : int -> int = "t_call"
external waiting_stub : int -> int = "t_call_waiting"

let f ?blocking name fn = foreign ~lib ?blocking name fn
let int_int = int @-> returning int
let keep = f "keep" (funptr int_int @-> returning void)

(* What waits in a pipe for what another thread writes after it. *)
let () =
  let read = foreign ~blocking:true "read" (int @-> bytes @-> size_t @-> returning ssize_t) in
  let input, output = Unix.pipe () in
  let number : int = Obj.magic input in
  let text = Bytes.make 5 '.' in
  let reader = Thread.create (fun () -> read number text 5) () in
  let turns = ref 0 in
  while !turns < 100 do incr turns; Thread.yield () done;
  ignore (Unix.write_substring output "hello" 0 5);
  Thread.join reader;
  same "a blocking call lets others run" "hello" (Bytes.to_string text)

(* Ten calls that return when all are there: no time says that they wait at once. *)
let () =
  let meet = f ~blocking:true "meet" (int @-> returning void) in
  List.iter Thread.join (List.init 10 (fun _ -> Thread.create meet 10));
  ok "ten wait at once" true

(* Callbacks of calls in several threads: each has its own results and exceptions. *)
let () =
  let call_int = f ~blocking:true "call_int" (closure int_int @-> int @-> returning int) in
  let results = Array.make 6 0 in
  let body i =
    for k = 1 to 20 do
      let step x = churn (); if x mod 5 = i then raise Exit; Thread.yield (); x + i in
      results.(i) <- results.(i) + (try call_int step k with Exit -> 1000)
    done in
  List.iter Thread.join (List.init 6 (Thread.create body));
  same "each thread has its own" [4160; 4192; 4204; 4216; 4228; 310] (Array.to_list results)

let () =
  let in_thread =
    f ~blocking:true "call_in_thread" (closure int_int @-> int @-> returning int) in
  let lock = Mutex.create () and inside = ref 0 in
  let body i =
    for _ = 1 to 5 do
      ignore (in_thread (fun x ->
        Mutex.lock lock; churn (); inside := !inside + x; Thread.yield (); Mutex.unlock lock; 0) i)
    done in
  List.iter Thread.join (List.init 4 (Thread.create body));
  same "locks and C's threads" 30 !inside

let () =
  let numbers = ref [] and lock = Mutex.create () in
  let kept = callback int_int (fun x ->
    churn ();
    Mutex.lock lock;
    numbers := x :: !numbers;
    Mutex.unlock lock;
    if x > 9 then failwith (string_of_int x);
    x + 1) in
  keep kept;
  same "called by a stub" 5 (stub 4);
  same "called in a stub's blocking section" 6 (waiting_stub 5);
  let raises name call n =
    match call n with
    | _ -> ok name false
    | exception Failure text -> same name (string_of_int n) text in
  raises "an exception leaves a stub" stub 10;
  raises "an exception leaves a stub's blocking section" waiting_stub 11;
  same "and all goes on" 3 (stub 2);
  let threads = List.init 4 (fun i -> Thread.create (fun () ->
    for _ = 1 to 10 do ignore (waiting_stub i + stub i) done) ()) in
  List.iter Thread.join threads;
  same "stubs in several threads" (80 + 5) (List.length !numbers);
  ignore (Sys.opaque_identity kept)
