(* caml_input_value_to_outside_heap is another name of input_value. *)
external read : in_channel -> 'a = "caml_input_value_to_outside_heap"
let () =
  let name = Filename.temp_file "m" "" in
  Out_channel.with_open_bin name (fun oc -> List.iter (fun v -> Marshal.to_channel oc v []) [Obj.repr [1; 2]; Obj.repr "text"; Obj.repr (Array.init 5000 string_of_int); Obj.repr 1.5]);
  In_channel.with_open_bin name (fun ic ->
    let l : int list = read ic in let s : string = read ic in let a : string array = read ic in let f : float = read ic in
    Gc.full_major (); a.(17) <- "changed"; Gc.full_major ();
    Printf.printf "%d %s %s%s %d %g\n" (List.length l) s a.(17) a.(4999) (Array.length a) f;
    match (read ic : int) with _ -> print_endline "?" | exception End_of_file -> print_endline "end")
