(* packages: ctypes,ctypes.foreign ocaml5: no - C functions called, and calling back, without stubs. *)
open Ctypes
open Foreign

let strlen = foreign "strlen" (string @-> returning size_t)
let cosine = foreign "cos" (double @-> returning double)
let order = ptr int @-> ptr int @-> returning int
let qsort = foreign "qsort" (ptr int @-> size_t @-> size_t @-> funptr order @-> returning void)
let getpid = foreign ~release_runtime_lock:true "getpid" (void @-> returning int)
let chdir = foreign ~check_errno:true "chdir" (string @-> returning int)

type tm
let tm : tm structure typ = structure "tm"
let tm_sec = field tm "tm_sec" int
let tm_min = field tm "tm_min" int
let () = List.iter (fun name -> ignore (field tm name int))
  ["tm_hour"; "tm_mday"; "tm_mon"; "tm_year"; "tm_wday"; "tm_yday"; "tm_isdst"]
let () = ignore (field tm "tm_gmtoff" long); ignore (field tm "tm_zone" string); seal tm
let gmtime = foreign "gmtime" (ptr long @-> returning (ptr tm))

let size = Unsigned.Size_t.of_int
let numbers = CArray.of_list int [5; 3; 9; 1; 7]
let sort order = qsort (CArray.start numbers) (size 5) (size 4) order

let () =
  Printf.printf "%d %.3f\n" (Unsigned.Size_t.to_int (strlen "hello")) (cosine 1.0);
  sort (fun x y -> compare !@x !@y);
  print_endline (String.concat " " (List.map string_of_int (CArray.to_list numbers)));
  (try sort (fun _ _ -> failwith "from a callback") with Failure m -> print_endline m);
  let t = !@(gmtime (allocate long (Signed.Long.of_int 3725))) in
  Printf.printf "%d min %d s\n" (getf t tm_min) (getf t tm_sec);
  print_endline (Unsigned.UInt64.to_string (Unsigned.UInt64.of_string "18446744073709551615"));
  Printf.printf "%d\n" (compare (Unsigned.UInt32.of_int 3) (Unsigned.UInt32.of_int 4));
  Printf.printf "%b\n" (getpid () = Unix.getpid ());
  (try ignore (chdir "/no/such") with Unix.Unix_error (e, f, _) ->
    Printf.printf "%s: %s\n" f (Unix.error_message e));
  (try ignore (foreign "no_such_function" (void @-> returning void)) with Dl.DL_error _ ->
    print_endline "no such function");
  Printf.printf "%d bytes; %s\n" (sizeof tm) (string_of_fn order)

(* Memory that is freed by the collector, with a finaliser. *)
let () =
  let freed = ref 0 in
  for i = 1 to 100 do
    let a = CArray.make ~finalise:(fun _ -> incr freed) int ~initial:i 1000 in
    assert (CArray.get a 999 = i)
  done;
  Gc.full_major ();
  Gc.full_major ();
  print_endline (if !freed > 90 then "freed" else "kept")
