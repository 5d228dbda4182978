(* OCaml functions called by C: kinds of arguments and results, life and death, exceptions. *)
open Ffi
open Check

let f name fn = foreign ~lib name fn
let int_int = int @-> returning int
let call_int = f "call_int" (closure int_int @-> int @-> returning int)

(* The program has had no reason yet to know of threads. *)
let () =
  let ran = ref false in
  let in_thread = f "call_in_thread" (closure int_int @-> int @-> returning int) in
  same "not ~blocking: a C thread gets zero" 0 (in_thread (fun x -> ran := true; x) 5);
  same "not ~blocking: nothing runs" false !ran

type s1

let () =
  same "int" 42 (call_int (fun x -> x + 2) 40);
  same "a function that collects" 7 (call_int (fun x -> churn (); Gc.full_major (); x) 7);
  same "called twice" 504 (f "call_twice" (closure int_int @-> int @-> returning int) succ 3);
  let hits = ref 0 in
  f "call_void" (closure (void @-> returning void) @-> returning void) (fun () -> incr hits);
  same "no argument" 1 !hits;
  let t = int8_t @-> returning int8_t in
  same "int8" (-128) (f "call_int8" (closure t @-> int8_t @-> returning int8_t) pred (-127));
  let t = uint16_t @-> returning uint16_t in
  same "uint16" 65535 (f "call_uint16" (closure t @-> uint16_t @-> returning uint16_t) succ 65534);
  let t = float @-> returning float in
  same "float" 3. (f "call_float" (closure t @-> float @-> returning float) (fun x -> 2. *. x) 1.5);
  let t = long_double @-> returning long_double in
  same "long double" 3.
    (f "call_long_double" (closure t @-> long_double @-> returning long_double)
       (fun x -> 2. *. x) 1.5);
  let t =
    int8_t @-> uint16_t @-> float @-> double @-> int64_t @-> string @-> ptr void @-> int @-> int
    @-> double @-> returning double in
  let seen = ref [] in
  same "ten arguments" 2.5
    (f "call_mixed" (closure t @-> returning double) (fun a b c d e s p x y z ->
       churn ();
       seen := [string_of_int a; string_of_int b; string_of_float c; Int64.to_string e; s;
                string_of_bool (is_null p); string_of_int (x * y); string_of_float z];
       d));
  same "ten arguments: seen"
    ["-1"; "65535"; "1.5"; "-4000000000"; "text"; "true"; "56"; "9.25"] !seen

let by_value name types values =
  let s : s1 structure typ = structure name in
  let list = List.map (fun t -> field s "x" t) types in
  seal s;
  let t = s @-> returning s in
  let c = f ("call_" ^ name) (closure t @-> s @-> returning s) in
  let v = make s in
  List.iter2 (setf v) list values;
  let saved = ref None in
  let w = c (fun arg ->
    saved := Some arg;
    let result = make s in
    List.iter2 (setf result) list (List.rev (List.map (getf arg) list));
    churn ();
    result) v in
  same (name ^ " by value") (List.rev values) (List.map (getf w) list);
  same (name ^ ": what the callback got is a copy") values
    (List.map (getf (Option.get !saved)) list)

let () =
  by_value "two_ints" [int; int] [3; 4];
  by_value "five_doubles" [double; double; double; double; double] [1.; 2.; 3.; 4.; 5.]

(* ---- Life. ---- *)

let keep = f "keep" (funptr int_int @-> returning void)
let call_kept = f "call_kept" (int @-> returning int)

let () =
  let c = callback int_int (fun x -> x * x) in
  keep c;
  Gc.full_major ();
  churn ();
  same "kept by C, while OCaml holds it" 49 (call_kept 7);
  same "C gives it back" 64 (call (f "give_back" (void @-> returning (funptr int_int)) ()) 8);
  free_callback c;
  refuses "called after it was freed" (fun () -> call_kept 7);
  refuses "passed after it was freed" (fun () -> keep c);
  refuses "freed twice" (fun () -> free_callback c);
  keep (Sys.opaque_identity (callback int_int (fun x -> x + 1)));
  Gc.full_major ();
  Gc.full_major ();
  refuses "called after the collector freed it" (fun () -> call_kept 7);
  let many = List.init 1500 (fun i -> callback int_int (fun x -> x + i)) in
  same "fifteen hundred at once" true
    (List.for_all (fun x -> x) (List.mapi (fun i c -> call c 1 = i + 1) many));
  List.iter free_callback many;
  let many = List.init 1500 (fun i -> callback int_int (fun x -> x - i)) in
  same "and again, in code that was used before" true
    (List.for_all (fun x -> x) (List.mapi (fun i c -> call c 1 = 1 - i) many));
  let self = ref None in
  let c = callback int_int (fun x -> free_callback (Option.get !self); churn (); x + 5) in
  self := Some c;
  keep c;
  same "a callback that frees itself" 6 (call_kept 1);
  refuses "and is gone" (fun () -> call_kept 1)

(* ---- Function pointers of C. ---- *)

let () =
  let triple = f "a_function" (void @-> returning (funptr int_int)) () in
  same "a C function's pointer" 21 (call triple 7);
  same "handed to C" 21 (f "call_int" (funptr int_int @-> int @-> returning int) triple 7);
  let none = f "no_function" (void @-> returning (funptr int_int)) () in
  same "a null function pointer" true (is_null_funptr none);
  refuses "calling it" (fun () -> call none 1);
  let s : s1 structure typ = structure "vtable" in
  let a = field s "triple" (funptr int_int) in
  let b = field s "nothing" (funptr int_int) in
  seal s;
  let table = foreign_value ~lib "the_vtable" s in
  same "in a structure" 9 (call (getf !@table a) 3);
  let mine = callback int_int (fun x -> x + 1000) in
  setf !@table b mine;
  same "stored in a structure" 1001 (call (getf !@table b) 1);
  free_callback mine

(* ---- Exceptions, and calls inside calls. ---- *)

exception Mine of string

let () =
  (match call_int (fun x -> raise (Mine (string_of_int x))) 5 with
   | _ -> ok "an exception" false
   | exception Mine s -> same "an exception" "5" s);
  let runs = ref 0 in
  let count_calls = f "count_calls" (closure int_int @-> int @-> returning int) in
  (match count_calls (fun x -> incr runs; if x = 3 then raise Exit else x + 1) 10 with
   | _ -> ok "callbacks after an exception" false
   | exception Exit -> same "callbacks after an exception don't run" 4 !runs);
  same "the next call is not concerned" 0 (count_calls succ 10);
  refuses "a result that C can't hold" (fun () -> call_int (fun _ -> 1 lsl 40) 1);
  let rec down n = if n = 0 then 0 else 1 + call_int (fun x -> down (x - 1)) n in
  same "a hundred calls inside each other" 100 (down 100);
  (match down 100_000 with
   | _ -> ok "too deep" false
   | exception Stack_overflow -> ok "too deep: Stack_overflow" true);
  let rec fails n = if n = 0 then raise Not_found else call_int (fun x -> fails (x - 1)) n in
  (match fails 50 with
   | _ -> ok "an exception through fifty calls" false
   | exception Not_found -> ok "an exception through fifty calls" true);
  (match call_int (fun x -> try call_int (fun _ -> raise Exit) x with Exit -> x + 1) 5 with
   | n -> same "caught half way" 6 n
   | exception _ -> ok "caught half way" false)

(* ---- Calls without the runtime lock, and from threads of C code. ---- *)

let () =
  let blocking name fn = foreign ~lib ~blocking:true name fn in
  let call_int = blocking "call_int" (closure int_int @-> int @-> returning int) in
  same "called back from a blocking call" 8 (call_int (fun x -> churn (); call_int succ x + 1) 6);
  (match call_int (fun _ -> raise Exit) 5 with
   | _ -> ok "an exception out of a blocking call" false
   | exception Exit -> ok "an exception out of a blocking call" true);
  let in_thread = blocking "call_in_thread" (closure int_int @-> int @-> returning int) in
  same "in a C thread" 12 (in_thread (fun x -> churn (); x + call_int succ 6) 5);
  same "in a thread of a callback in a thread" 4 (in_thread (in_thread succ) 3);
  same "an exception in a C thread gives zero" 0 (in_thread (fun _ -> failwith "there") 5);
  same "and nothing else happens" 6 (in_thread succ 5)

(* A C thread that runs while OCaml code does. *)
let () =
  let sum = ref 0 in
  let kept = callback int_int (fun x -> churn (); sum := !sum + x; x) in
  f "start_calls" (funptr int_int @-> int @-> returning void) kept 20;
  let over = f "calls_over" (void @-> returning int) in
  while over () = 0 do ignore (Sys.opaque_identity (ref 0)) done;
  same "while OCaml code runs" 190 !sum;
  ignore (Sys.opaque_identity kept)
