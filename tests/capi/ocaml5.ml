(* Names of OCaml 5's C interface: ocaml5_stubs.c. *)
external states : unit -> bool * bool * bool = "t_states"
external bad_state : unit -> bool = "t_bad_state"
external state_fields : unit -> bool * int * int * int = "t_state_fields"
external blocks : string -> Obj.t list = "t_blocks"
external atoms : unit -> bool = "t_atoms"
external inline : string -> Obj.t = "t_inline"
external shared : string -> Obj.t = "t_shared"
external too_much : unit -> bool = "t_too_much"
external cas : 'a ref -> 'a -> 'a -> bool = "t_cas"
external is_young : 'a -> bool = "t_is_young"
external collections : unit -> bool = "t_collections"
external sampled_block : 'a -> 'a = "t_sampled_block"
external hide : 'a -> unit = "t_hide"
external hidden : unit -> string = "t_hidden"
external exception_ : int -> Obj.t -> string -> exn = "t_exception"
external results : 'a -> int -> bool * Obj.t = "t_results"
external value_or_raise : (unit -> 'a) -> 'a = "t_value_or_raise"
external actions : 'a -> bool = "t_actions"
external run_handler : int -> bool * Obj.t = "t_run_handler"
external channels : unit -> in_channel * out_channel = "t_channels"
external system : unit -> string = "t_system"
external addresses : unit -> bool = "t_addresses"
external blake2 : string -> string -> int -> string = "t_blake2"
external watch : unit -> unit = "t_watch"
external watched : unit -> int * int * int = "t_watched"
external figures : unit -> int * bool = "t_figures"
external events : int -> bool = "t_events"

exception E
exception F of string
exception G of string * int

let tag x = Obj.(if tag (repr x) = object_tag then repr x else field (repr x) 0)
let fresh s = Bytes.to_string (Bytes.of_string s)
let show_field v = if Obj.is_int v then string_of_int (Obj.obj v) else Obj.obj v

let () =
  let a, b, c = states () in
  Printf.printf "states: %b %b %b\n" a b c;
  Printf.printf "bad state: %b\n%!" (bad_state ());
  let show_block b =
    Printf.printf "%d:" (Obj.tag b);
    for i = 0 to Obj.size b - 1 do Printf.printf " %s" (show_field (Obj.field b i)) done;
    print_newline () in
  let all = blocks (fresh "s") in
  Gc.full_major ();
  List.iter show_block all;
  Printf.printf "atoms: %b\n" (atoms ());
  show_block (inline (fresh "inline"));
  let v = shared (fresh "shared") in
  Gc.full_major ();
  Printf.printf "shared: %d %d %s %s\n" (Obj.tag v) (Obj.size (Obj.field v 0))
    (Obj.obj (Obj.field (Obj.field v 0) 299)) (Obj.obj (Obj.field v 1));
  Printf.printf "too much: %b\n" (too_much ());
  let r = ref "old" in
  let old = !r in
  Printf.printf "cas: %b" (cas r "other" "new");
  Printf.printf " %b %s\n" (cas r old "new") !r;
  Printf.printf "young: %b, counted: %b, sampled: %b\n" (is_young 1) (collections ())
    (sampled_block r == r);
  hide (fresh "hidden");
  Gc.full_major ();
  ignore (Sys.opaque_identity (List.init 1000 string_of_int));
  Gc.compact ();
  print_endline (hidden ());
  for i = 0 to 15 do
    let tag = match i with 0 -> tag E | 2 -> tag (G ("", 0)) | _ -> tag (F "") in
    print_endline (Printexc.to_string (exception_ i tag (fresh "argument")))
  done;
  let show (raised, v) =
    if raised then Printf.printf "raised %s\n" (Printexc.to_string (Obj.obj v))
    else Printf.printf "%d\n" (Obj.obj v) in
  show (results (fun a -> a) 1);
  show (results (fun a b -> a + b) 2);
  show (results (fun a b c -> a + b + c) 3);
  show (results (fun a b c d -> a + b + c + d) 4);
  show (results (fun _ -> raise (F "x")) 1);
  show (results (fun _ _ -> raise Not_found) 2);
  (try value_or_raise (fun () -> raise E) with E -> print_endline "E");
  print_endline (value_or_raise (fun () -> "value"));
  Printf.printf "actions: %b\n" (actions (fresh "root"));
  Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> print_endline "handler"));
  Printf.printf "run: %b\n" (fst (run_handler 10));
  Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> raise E));
  Printf.printf "run: %b\n" (fst (run_handler 10));
  let input, output = channels () in
  output_string output "yz";
  close_out output;
  print_endline (In_channel.input_all input);
  print_endline (system ());
  Printf.printf "events: %b\n" (events 0)

let print_hex s = String.iter (fun c -> Printf.printf "%02x" (Char.code c)) s; print_newline ()
let finalise f =
  Gc.finalise f (ref (fresh "dead"));
  Gc.full_major ()
let show_watched what =
  let begun, ended, terminated = watched () in
  Printf.printf "%s: %b %d %d\n" what (begun > 0) (begun - ended) terminated

let () =
  Printf.printf "addresses: %b\n" (addresses ());
  List.iter (fun (key, n, length) -> print_hex (blake2 key (String.make n 'x') length))
    ["", 3, 64; "key", 0, 16; "", 1000, 32; String.make 64 'k', 256, 64];
  Gc.full_major ();
  watch ();
  Gc.full_major ();
  show_watched "nothing";
  finalise (fun r -> print_endline !r);
  show_watched "a finaliser";
  (try finalise (fun _ -> raise E) with E -> print_endline "it raised");
  show_watched "one that raises";
  let show_state () =
    let good, words, index, number = state_fields () in
    (* what a domain has counted before its first collection is open *)
    Printf.printf "state: %b %b %d %d\n" (good || index > 0) (words = (Gc.get ()).minor_heap_size)
      index number in
  show_state ();
  Domain.join (Domain.spawn (fun () ->
    show_state ();
    Domain.join (Domain.spawn show_state)));
  show_watched "domains";
  let ratio, good = figures () in
  Printf.printf "ratio: %b %b\n" (ratio = (Gc.get ()).custom_major_ratio) good
