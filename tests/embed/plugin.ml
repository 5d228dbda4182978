(* What the tests of the library call. *)
external host_add : int -> int -> int = "host_add"
external host_six : int -> int -> int -> int -> int -> int -> int = "host_six" "host_six_native"
external host_apply : (int -> int) -> int -> int = "host_apply"
external host_fail : string -> int = "host_fail"
external host_state : unit -> int = "host_state"
external open_descriptor_out : int -> out_channel = "caml_ml_open_descriptor_out"

(* The machine's end frees what its custom blocks hold. *)
let kept = Bigarray.Array1.create Bigarray.char Bigarray.c_layout 100_000
let () = Bigarray.Array1.fill kept 'x'

exception Own of int * string

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

(* Allocates, compares, hashes, prints into a buffer; the same number for the same seed. *)
let work seed =
  let state = Random.State.make [| seed |] in
  let table = Hashtbl.create 16 and out = Buffer.create 16 in
  for i = 1 to 5_000 do
    let key = string_of_int (Random.State.int state 1000) in
    let old = try Hashtbl.find table key with Not_found -> [] in
    Hashtbl.replace table key (if List.length old > 20 then [ i ] else i :: old)
  done;
  Hashtbl.fold (fun key items all -> (key, items) :: all) table []
  |> List.sort compare
  |> List.iter (fun (key, items) -> Printf.bprintf out "%s:%d " key (List.fold_left ( + ) 0 items));
  Hashtbl.hash (Digest.string (Buffer.contents out)) + fib (10 + (seed land 7))

let kept = ref []
let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)

let () =
  Callback.register "fib" fib;
  Callback.register "work" work;
  Callback.register "concat" (fun a b -> a ^ b);
  Callback.register "sum" (List.fold_left ( + ) 0);
  Callback.register "swap" (fun (a, b) -> (b, a));
  Callback.register "adder" (fun a b -> a + b);
  Callback.register "kinds" (fun () -> (1, "two", 3., [| 4.; 5. |], 6l, 7L, 8n, fib, [ 9 ], lazy (fib 10)));
  Callback.register "half" (fun x -> x /. 2.);
  Callback.register "boxed" (fun (a, b, c) -> Int64.(add (of_int32 a) (add b (of_nativeint c))));
  Callback.register "own" (fun n -> raise (Own (n, "why")));
  Callback.register "exit" (fun n -> exit n);
  Callback.register "forever" (fun () -> while true do () done);
  Callback.register "memory" (fun () -> while true do kept := Bytes.create 10_000 :: !kept done);
  Callback.register "forget" (fun () -> kept := []);
  Callback.register "deep" deep;
  Callback.register "print" (fun s -> print_string s; flush stdout);
  Callback.register "use_closed" (fun () ->
    let channel = open_descriptor_out 1 in
    close_out channel;
    try output_char channel 'x'; seek_out channel 0; "used" with Sys_error text -> text);
  Callback.register "read" (fun () -> input_line stdin);
  Callback.register "host_add" (fun () -> host_add 20 22);
  Callback.register "host_six" (fun () -> host_six 1 2 3 4 5 6);
  Callback.register "host_apply" (fun n -> host_apply (fun x -> if x > 100 then raise Exit else x * 2) n);
  Callback.register "host_exits" (fun () -> host_apply (fun _ -> exit 9) 0);
  Callback.register "host_catches" (fun () -> try host_fail "no" with Failure s -> String.length s);
  Callback.register "host_bad" (fun () -> host_add (Obj.magic "no integer") 1);
  Callback.register "host_six_bad" (fun () -> host_six 1 2 3 4 5 (Obj.magic "no integer"));
  Callback.register "host_state" host_state;
  Callback.register "sys" (fun () -> (Sys.executable_name, Sys.argv));
  Callback.register "getenv" Sys.getenv;
  Callback.register "signal" (fun () -> Sys.set_signal Sys.sigint Sys.Signal_ignore);
  Callback.register "missing" (fun () -> open_in "/nonexistent/file")
