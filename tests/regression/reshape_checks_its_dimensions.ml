(* Bigarray.reshape with dimensions whose product overflows to the right number of elements
   (#14655, CVE-2026-34353): ocamlrun 4.13.1 crashes. *)
open Bigarray
let attempt name f =
  Printf.printf "%s: %s\n%!" name
    (match f () with s -> s | exception e -> Printexc.to_string e)

let () =
  let a = genarray_of_array1 (Array1.init int8_unsigned c_layout 4096 (fun i -> i land 255)) in
  let shape dims =
    let name = String.concat "x" (List.map string_of_int (Array.to_list dims)) in
    attempt name (fun () ->
        let b = reshape a dims in
        let last = Array.map (fun d -> d - 1) dims in
        Printf.sprintf "last %d" (Genarray.get b last)) in
  shape [| 64; 64 |];
  shape [| 4096 |];
  shape [| -4096; -1 |];
  shape [| -64; -64 |];
  shape [| 1 lsl 32; 1 lsl 32; 4096 |];
  shape [| (1 lsl 61) + 1024; 4 |];
  shape [| (1 lsl 52) + 1; 4096 |];
  shape [| 1 lsl 61; 8; 4096 |];
  shape [| max_int; max_int |];
  shape [| min_int; 2 |];
  shape [| 0; 4096 |];
  shape (Array.make 17 1);
  shape [||];
  let b = genarray_of_array1 (Array1.create char c_layout 0) in
  attempt "empty" (fun () -> ignore (reshape b [| 0; max_int; max_int |]); "reshaped");
  attempt "empty, overflow" (fun () -> ignore (reshape b [| 1 lsl 32; 1 lsl 32 |]); "reshaped");
  attempt "reshape_1" (fun () -> ignore (reshape_1 a (-4096)); "reshaped");
  attempt "reshape_2" (fun () -> ignore (reshape_2 a (-64) (-64)); "reshaped");
  attempt "reshape_3" (fun () -> ignore (reshape_3 a (1 lsl 32) (1 lsl 32) 4096); "reshaped")
