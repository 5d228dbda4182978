(* Stubs among threads: their roots are their own, and threads that C made call OCaml functions. *)
external nest : (int -> unit) -> int -> int -> string list = "t_thread_nest"
external tasks : int -> int -> int array array = "t_tasks"
external start : int -> unit = "t_start"
external is_over : unit -> bool = "t_is_over"
external sum : unit -> int = "t_sum"

let lock = Mutex.create ()
let calls = Hashtbl.create 10

let called text i =
  let copy = String.concat "" (List.init 3 (fun _ -> text)) in
  if i mod 7 = 3 then Thread.yield ();
  Mutex.lock lock;
  Hashtbl.replace calls text (String.length copy);
  Mutex.unlock lock;
  if i = 5 then raise Exit;
  i

let () = Callback.register "T.called" called

let show what rows =
  print_endline what;
  Array.iter (fun row ->
    Array.iter (Printf.printf " %d") row; print_newline ()) rows

(* Each thread is inside its stub while the others allocate. *)
let () =
  let results = Array.make 4 [] in
  let body i =
    results.(i) <- nest (fun depth ->
      ignore (Sys.opaque_identity (List.init 10 string_of_int));
      if depth mod 3 = i mod 3 then Thread.yield ()) i 12 in
  List.iter Thread.join (List.init 4 (Thread.create body));
  Array.iter (fun l -> print_endline (String.concat " " l)) results

let () = show "one of C's" (tasks 1 10)
let () = show "several of C's" (tasks 4 20)
let () = Printf.printf "%d calls\n" (Hashtbl.length calls)

(* Exceptions through a stub in the thread that called it. *)
let () =
  let body i =
    try ignore (nest (fun depth -> if depth = i then failwith (string_of_int i)) i 6)
    with Failure m -> Mutex.lock lock; Hashtbl.replace calls ("raised " ^ m) 0; Mutex.unlock lock in
  List.iter Thread.join (List.init 5 (fun i -> Thread.create body (i + 1)));
  for i = 1 to 5 do
    Printf.printf "%d %b\n" i (Hashtbl.mem calls ("raised " ^ string_of_int i))
  done

(* One of C's while this thread computes and never waits. *)
let () =
  start 30;
  while not (is_over ()) do ignore (Sys.opaque_identity (ref 0)) done;
  Printf.printf "computed meanwhile; sum %d\n" (sum ())

(* A stub's lock on a channel: the parts of a line stay together, unless a tick comes just when the
   buffer is written, and an exception releases it. *)
external line : out_channel -> char -> unit = "t_line"
external locked_end : in_channel -> unit = "t_locked_end"
let () =
  let name = Filename.temp_file "capi" "" in
  let oc = open_out_bin name in
  let write i =
    let letter = Char.chr (Char.code 'a' + i) in
    for _ = 1 to 10 do line oc letter; output_string oc ""; Thread.yield () done in
  List.iter Thread.join (List.init 4 (Thread.create write));
  close_out oc;
  let ic = open_in_bin name in
  let whole = ref 0 in
  (try
     while true do
       let l = input_line ic in
       if l = String.make 90_000 l.[0] then incr whole
     done
   with End_of_file -> ());
  print_endline (if !whole >= 30 then "nearly all lines are whole" else "lines are mixed");
  let read _ = try locked_end ic with End_of_file -> () in
  List.iter Thread.join (List.init 3 (Thread.create read));
  Printf.printf "%d\n" (pos_in ic);
  close_in ic;
  Sys.remove name
