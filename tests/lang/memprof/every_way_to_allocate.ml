(* ocaml5: no: its ephemerons are immutable *)
(* flags: -g *)
(* jit: no: counts numbers that stay in registers *)
(* Rate 1: every block is reported, with its exact words, its generation and its source, whatever makes
   it. Needs no debug information, but has it: the counts must not depend on that. *)
let log = ref []
let tracker : (unit, unit) Gc.Memprof.tracker =
  let note generation (a : Gc.Memprof.allocation) =
    let source = match a.source with Normal -> "" | Marshal -> " marshal" | Custom -> " custom" in
    log := Printf.sprintf "%s %d/%d%s" generation a.n_samples a.size source :: !log;
    None
  in
  { Gc.Memprof.null_tracker with alloc_minor = note "minor"; alloc_major = note "major" }

let keep = ref (Obj.repr 0)
let poll () = ()

let show name operation =
  log := [];
  Gc.Memprof.start ~callstack_size:3 ~sampling_rate:1. tracker;
  keep := Obj.repr (operation ());
  poll ();
  Gc.Memprof.stop ();
  Printf.printf "%-22s %s\n" name (String.concat ", " (List.rev !log))

type r = { mutable a : int; b : int; c : int }
type fr = { x : float; y : float }
type mixed = { mutable f : float; i : int }
let one = Sys.opaque_identity 1
let half = Sys.opaque_identity 0.5
let text = Sys.opaque_identity "some text that is not short"
let ints = Array.init 300 (fun i -> i)
let floats = Array.make 10 1.5
let small = [| 1; 2; 3 |]
let list = [ 1; 2; 3 ]
let add3 a b c = a + b + c
let fr = { x = half; y = half }
let mx = { f = half; i = 3 }
class point = object val mutable p = 0 method get = p end
let table : (int, int) Hashtbl.t = Hashtbl.create 8
let file = open_in Sys.executable_name
let i32 = Sys.opaque_identity 5l
let i64 = Sys.opaque_identity 6L
let nat = Sys.opaque_identity 7n
let marshalled v = Marshal.to_string v []
let short_value = marshalled [ "ab"; "cd" ]
let long_value = marshalled (Array.init 100 (fun i -> float_of_int i))
let longer_value = marshalled (Array.init 300 (fun i -> string_of_int i))
let edge n = marshalled (Array.make n 0)
let edge255 = edge 255 and edge256 = edge 256 and edge257 = edge 257
let custom_value = marshalled (1l, 2L, 3n)
let shared_value = let s = "x" in marshalled [ s; s; s ]
let bad_message = String.sub longer_value 0 (String.length longer_value - 1) ^ "\x0a"
let closure_message = Marshal.to_string (fun x -> x + one) [ Marshal.Closures ]
let exn () = try failwith "text" with Failure s -> s

let () =
  show "nothing" (fun () -> 0);
  show "tuple" (fun () -> (one, one));
  show "record" (fun () -> { a = one; b = 2; c = 3 });
  show "float record" (fun () -> { x = half; y = half });
  show "mixed record" (fun () -> { f = half; i = one });
  show "float field" (fun () -> fr.x);
  show "boxed field" (fun () -> mx.f);
  show "cons" (fun () -> [ one; one ]);
  show "ref" (fun () -> ref one);
  show "some" (fun () -> Some one);
  show "closure" (fun () -> fun x -> x + one + Obj.magic !keep);
  show "closure of variables" (fun () -> let a = one and b = one in fun x -> x + a + b);
  show "recursive closures" (fun () ->
    let a = one in
    let rec f x = if x = 0 then a else g (x - 1) and g x = f (x - a) in (f, g));
  show "partial application" (fun () -> (Sys.opaque_identity add3) one);
  show "partial application 2" (fun () -> (Sys.opaque_identity add3) one one);
  show "array literal" (fun () -> [| one; one; one |]);
  show "constant array" (fun () -> [| 1; 2; 3 |]);
  show "float array literal" (fun () -> [| half; half; half |]);
  show "lazy" (fun () -> lazy (one + 1));
  show "float arithmetic" (fun () -> half +. half *. half);
  show "float negation" (fun () -> -. half);
  show "float functions" (fun () -> sqrt half);
  show "float of int" (fun () -> float_of_int one);
  show "int32" (fun () -> Int32.add i32 1l);
  show "int64" (fun () -> Int64.add i64 1L);
  show "nativeint" (fun () -> Nativeint.add nat 1n);
  show "int64 of string" (fun () -> Int64.of_string "17");
  show "string concat" (fun () -> text ^ text);
  show "bytes" (fun () -> Bytes.create 7);
  show "bytes 8" (fun () -> Bytes.create 8);
  show "large bytes" (fun () -> Bytes.create 4000);
  show "edge of young bytes" (fun () -> (Bytes.create 2047, Bytes.create 2048));
  show "empty" (fun () -> ([||], Bytes.create 0, ""));
  show "sub" (fun () -> String.sub text 2 9);
  show "string of int" (fun () -> string_of_int one);
  show "string of float" (fun () -> string_of_float half);
  show "float of string" (fun () -> float_of_string "1.5");
  show "sprintf" (fun () -> Printf.sprintf "%d" one);
  show "array make" (fun () -> Array.make 5 one);
  show "array make young" (fun () -> Array.make 256 one);
  show "array make large" (fun () -> Array.make 257 one);
  show "array of young" (fun () -> Array.make 300 (ref one));
  show "array of floats" (fun () -> Array.make 5 half);
  show "large array of floats" (fun () -> Array.make 500 half);
  show "float array create" (fun () -> Array.create_float 6);
  show "array sub" (fun () -> Array.sub ints 0 4);
  show "array sub large" (fun () -> Array.sub ints 0 280);
  show "array append" (fun () -> Array.append small small);
  show "array concat" (fun () -> Array.concat [ small; small; small ]);
  show "array copy" (fun () -> Array.copy floats);
  show "float array get" (fun () -> (Sys.opaque_identity floats).(2));
  show "array of list" (fun () -> Array.of_list list);
  show "array init" (fun () -> Array.init 3 (fun i -> i));
  show "list map" (fun () -> List.map succ list);
  show "obj dup" (fun () -> Obj.dup (Obj.repr small));
  show "obj with_tag" (fun () -> Obj.with_tag 7 (Obj.repr small));
  show "obj new_block" (fun () -> Obj.new_block 3 4);
  show "large new_block" (fun () -> Obj.new_block 3 400);
  show "object" (fun () -> new point);
  show "object copy" (fun () -> Oo.copy (new point));
  show "weak" (fun () -> Weak.create 3);
  show "weak get" (fun () -> let w = Weak.create 1 in Weak.set w 0 (Some small); Weak.get w 0);
  show "weak get_copy" (fun () ->
    let w = Weak.create 1 in Weak.set w 0 (Some small); Weak.get_copy w 0);
  show "ephemeron" (fun () -> Ephemeron.K1.create ());
  show "exception" exn;
  show "raise from C" (fun () -> try ignore (Array.get small (3 + one)) with Invalid_argument _ -> ());
  show "division" (fun () -> try one / (one - 1) with Division_by_zero -> 0);
  show "hashtable" (fun () -> Hashtbl.replace table 1 2);
  show "buffer" (fun () -> let b = Buffer.create 10 in Buffer.add_string b text; Buffer.contents b);
  show "split" (fun () -> String.split_on_char ' ' text);
  show "digest" (fun () -> Digest.string text);
  show "channel" (fun () -> open_in Sys.executable_name);
  show "channel position" (fun () -> pos_in file);
  show "input" (fun () -> really_input_string file 4);
  show "getenv" (fun () -> try Sys.getenv "TZ" with Not_found -> "");
  show "marshal out" (fun () -> Marshal.to_string (one, "ab") []);
  show "marshal to bytes" (fun () -> Marshal.to_bytes ints []);
  show "marshal short" (fun () -> Marshal.from_string short_value 0);
  show "marshal long" (fun () -> Marshal.from_string long_value 0);
  show "marshal 255" (fun () -> Marshal.from_string edge255 0);
  show "marshal 256" (fun () -> Marshal.from_string edge256 0);
  show "marshal 257" (fun () -> Marshal.from_string edge257 0);
  show "marshal customs" (fun () -> Marshal.from_string custom_value 0);
  show "marshal shared" (fun () -> Marshal.from_string shared_value 0);
  show "marshal closure" (fun () -> Marshal.from_string closure_message 0);
  show "marshal int" (fun () -> Marshal.from_string (Marshal.to_string 5 []) 0);
  show "marshal failing" (fun () ->
    try ignore (Marshal.from_string bad_message 0 : string array) with Failure _ -> ());
  show "bigarray" (fun () -> Bigarray.(Array1.create char c_layout 83));
  show "bigarray 2" (fun () -> Bigarray.(Array2.create float64 c_layout 10 20));
  show "bigarray small" (fun () -> Bigarray.(Array1.create char c_layout 7));
  show "bigarray empty" (fun () -> Bigarray.(Array1.create char c_layout 0));
  show "bigarray large" (fun () -> Bigarray.(Array1.create int c_layout 100_000));
  show "bigarray sub" (fun () ->
    let a = Bigarray.(Array1.create int c_layout 10) in Bigarray.Array1.sub a 2 4);
  show "bigarray get" (fun () ->
    let a = Bigarray.(Array1.create float64 c_layout 10) in
    Bigarray.Array1.fill a 1.; (Sys.opaque_identity a).{3});
  show "gc counters" (fun () -> Gc.minor_words ());
  show "gc quick_stat" (fun () -> Gc.quick_stat ());
  show "gc get" (fun () -> Gc.get ());
  show "time" (fun () -> Sys.time ());
  show "callstack" (fun () -> Printexc.get_callstack 2);
  show "string to list" (fun () -> List.of_seq (String.to_seq "abc"));
  show "parse" (fun () -> Scanf.sscanf "1 2" "%d %d" (fun a b -> a + b));
  show "random" (fun () -> Random.State.make [| 1 |]);
  show "compare" (fun () -> compare text (text ^ ""));
  show "many" (fun () ->
    let rec go n acc = if n = 0 then acc else go (n - 1) (float_of_int n :: acc) in
    List.length (go 20 []));
  show "thousands" (fun () -> ignore (Array.init 3000 (fun i -> (i, i))); log := [ string_of_int (List.length !log) ])
