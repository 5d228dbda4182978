(* Reading and writing marshalled values of many shapes. *)
module Map = Map.Make (Int)

type part = { name : string; weight : float; owner : owner; next : part list }
and owner = { id : int; label : string; tags : string list }

(* A value is only built when one of its rows is wanted. *)
let both name ?(times = 2) ~units ~unit make =
  let read = "read " ^ name and write = "write " ^ name in
  if Rows.wanted read || Rows.wanted write then begin
    let value = make () in
    let marshalled = Marshal.to_string value [] in
    Rows.row read ~units ~unit ~times (fun () -> Marshal.from_string marshalled 0);
    Rows.row write ~units ~unit ~times (fun () -> Marshal.to_string value [])
  end

let owner id = { id; label = "owner " ^ string_of_int id; tags = [ "a"; "bc" ] }

let parts n =
  let owners = Array.init 100 owner in
  let rec build i rest =
    if i = 0 then rest
    else
      let part =
        { name = "part"; weight = float i; owner = owners.(i mod 100); next = rest }
      in
      build (i - 1) (if i mod 10 = 0 then [ part ] else part :: rest)
  in
  build n []

(* What the compiler reads: a value after a magic number of 12 bytes. *)
let compiled name =
  let input = open_in_bin (Filename.concat (Sys.getenv "OCAML_FOLDER") name) in
  seek_in input 12;
  let value : Obj.t = input_value input in
  close_in input;
  value

let () =
  let million = 1_000_000 in
  both "int array" ~units:million ~unit:"element" (fun () ->
      Array.init million (fun i -> (i * 7919 land 0xFFFFF) - 1000));
  both "array of small ints" ~units:million ~unit:"element" (fun () ->
      Array.init million (fun i -> i land 63));
  both "list of ints" ~units:million ~unit:"element" (fun () -> List.init million Fun.id);
  both "map" ~units:million ~unit:"node" (fun () ->
      let rec fill i map = if i = million then map else fill (i + 1) (Map.add i i map) in
      fill 0 Map.empty);
  both "short strings" ~units:500_000 ~unit:"string" (fun () ->
      Array.init 500_000 (fun i -> "string " ^ string_of_int i));
  both "long strings" ~units:100 ~unit:"string of 100 kB" ~times:4 (fun () ->
      Array.init 100 (fun _ -> String.make 100_000 'x'));
  both "float array" ~units:million ~unit:"element" ~times:10 (fun () ->
      Array.init million float_of_int);
  both "list of floats" ~units:500_000 ~unit:"element" (fun () ->
      List.init 500_000 (fun i -> float i));
  both "int64 array" ~units:300_000 ~unit:"element" (fun () ->
      Array.init 300_000 (fun i -> Int64.of_int i));
  both "records with sharing" ~units:200_000 ~unit:"record" (fun () -> parts 200_000);
  both "bigarray" ~units:million ~unit:"element" ~times:10 (fun () ->
      Bigarray.Array1.init Bigarray.float64 Bigarray.c_layout million float_of_int);
  both "bigarray of int32" ~units:million ~unit:"element" ~times:10 (fun () ->
      Bigarray.Array1.init Bigarray.int32 Bigarray.c_layout million Int32.of_int);
  both "stdlib.cmi" ~units:1 ~unit:"file" ~times:200 (fun () -> compiled "stdlib.cmi");
  both "camlinternalFormat.cmt" ~units:1 ~unit:"file" ~times:3 (fun () ->
      compiled "camlinternalFormat.cmt")

(* Small values: the cost of starting and finishing. *)
let () =
  let small = (42, "forty-two", [ 1.5; 2.5 ], Some 'x') in
  let marshalled = Marshal.to_string small [] in
  let bytes = Bytes.of_string marshalled in
  let n = 1000 in
  let repeat work () =
    for _ = 1 to n do
      ignore (Sys.opaque_identity (work ()))
    done
  in
  let row name work = Rows.row name ~unit:"value" ~units:n ~times:100 (repeat work) in
  row "from_string, a tuple" (fun () -> Marshal.from_string marshalled 0);
  let one = Marshal.to_string 1 [] in
  row "from_string, an int" (fun () -> Marshal.from_string one 0);
  row "to_string, a tuple" (fun () -> Marshal.to_string small []);
  row "to_string, an int" (fun () -> Marshal.to_string 1 []);
  row "to_string, no sharing" (fun () -> Marshal.to_string small [ Marshal.No_sharing ]);
  row "to_buffer, a tuple" (fun () -> Marshal.to_buffer bytes 0 (Bytes.length bytes) small []);
  row "total_size" (fun () -> Marshal.total_size bytes 0);
  let path = Filename.temp_file "bench" ".marshal" in
  Rows.row "to_channel, a tuple" ~unit:"value" ~units:n ~times:20 (fun () ->
      let output = open_out_bin path in
      repeat (fun () -> Marshal.to_channel output small []) ();
      close_out output);
  let output = open_out_bin path in
  repeat (fun () -> Marshal.to_channel output small []) ();
  close_out output;
  Rows.row "from_channel, a tuple" ~unit:"value" ~units:n ~times:20 (fun () ->
      let input = open_in_bin path in
      repeat (fun () -> (Marshal.from_channel input : int * string * float list * char option)) ();
      close_in input);
  let large = List.init 300_000 (fun i -> (i, string_of_int i)) in
  let output = open_out_bin path in
  Marshal.to_channel output large [];
  close_out output;
  Rows.row "to_channel, a large list" ~unit:"element" ~units:300_000 ~times:1 (fun () ->
      let output = open_out_bin path in
      Marshal.to_channel output large [];
      close_out output);
  Rows.row "from_channel, a large list" ~unit:"element" ~units:300_000 ~times:1 (fun () ->
      let input = open_in_bin path in
      let read : (int * string) list = Marshal.from_channel input in
      close_in input;
      read);
  Sys.remove path
