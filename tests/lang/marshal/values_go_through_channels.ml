(* output_value and input_value on files, whole and cut short. *)
let file = Filename.temp_file "bactrian" ".marshal"
let () = at_exit (fun () -> try Sys.remove file with Sys_error _ -> ())

let values =
  [ Obj.repr 1; Obj.repr "abc"; Obj.repr [ 1.5; 2.5 ]; Obj.repr (Array.init 100000 (fun i -> (i, string_of_int i)));
    Obj.repr (String.make 200000 'x'); Obj.repr (Array.init 30000 float_of_int) ]

let () =
  let oc = open_out_bin file in
  List.iteri (fun i v -> output_value oc v; Printf.printf "%d: at %d\n" i (pos_out oc)) values;
  output_string oc "tail";
  close_out oc;
  let ic = open_in_bin file in
  List.iteri
    (fun i v ->
      let w = Marshal.from_channel ic in
      Printf.printf "%d: %b at %d\n" i (compare v w = 0) (pos_in ic))
    values;
  (match (input_value ic : int) with
   | _ -> print_endline "?"
   | exception e -> print_endline (Printexc.to_string e));
  (match (input_value ic : int) with
   | _ -> print_endline "?"
   | exception e -> print_endline (Printexc.to_string e));
  close_in ic;
  (match (input_value ic : int) with
   | _ -> print_endline "?"
   | exception e -> print_endline (Printexc.to_string e))

let () =
  let s = Marshal.to_string (List.init 20 string_of_int, [| 1.; 2. |], 7L) [] in
  let outcomes = Hashtbl.create 7 in
  for n = 0 to String.length s do
    let oc = open_out_bin file in
    output_string oc (String.sub s 0 n);
    close_out oc;
    let ic = open_in_bin file in
    let r =
      match (input_value ic : string list * float array * int64) with
      | l, a, n -> Printf.sprintf "%s %d %Ld" (String.concat "," l) (Array.length a) n
      | exception e -> Printexc.to_string e
    in
    close_in ic;
    if not (Hashtbl.mem outcomes r) then begin
      Hashtbl.add outcomes r n;
      Printf.printf "from %d: %s\n" n r
    end
  done

let () =
  let oc = open_out_bin file in
  (match output_value oc (fun x -> x) with
   | () -> print_endline "?"
   | exception e -> print_endline (Printexc.to_string e));
  Printf.printf "nothing was written: %d\n" (pos_out oc);
  Marshal.to_channel oc (1, 2) [ Marshal.No_sharing ];
  close_out oc;
  (match output_value oc 1 with
   | () -> print_endline "written"
   | exception e -> print_endline (Printexc.to_string e));
  let ic = open_in_bin file in
  Printf.printf "%d bytes\n" (in_channel_length ic);
  let b = Bytes.create Marshal.header_size in
  really_input ic b 0 Marshal.header_size;
  Printf.printf "data %d total %d\n" (Marshal.data_size b 0) (Marshal.total_size b 0);
  close_in ic
