(* Channels that stubs open and use, and channels of OCaml's in the hands of stubs. *)
external flush_c : out_channel -> unit = "t_flush"
external open_in_fd : Unix.file_descr -> in_channel = "t_open_in"
external open_out_fd : Unix.file_descr -> out_channel = "t_open_out"
external descriptor : 'channel -> Unix.file_descr = "t_descriptor"
external write : Unix.file_descr -> 'a -> string = "t_write"
external read : Unix.file_descr -> (int list * string * float) * string * string = "t_read"
external share : Unix.file_descr -> in_channel = "t_share"
external shared_byte : unit -> int = "t_shared_byte"
external close_shared : unit -> unit = "t_close_shared"
external locked_end : in_channel -> unit = "t_locked_end"
external lock_hooks : unit -> bool = "t_lock_hooks"

let say fmt = Printf.printf (fmt ^^ "\n%!")
let garbage () = for i = 1 to 200 do ignore (Sys.opaque_identity (string_of_int i)) done

let () =
  print_string "flushed by C, ";
  flush_c stdout;
  let name = Filename.temp_file "capi" "" in
  let openfile flags = Unix.openfile name flags 0o600 in
  let oc = open_out_fd (openfile [ Unix.O_RDWR ]) in
  output_string oc "through a descriptor";
  flush oc;
  seek_out oc 0;
  say "%s" (input_line (open_in_fd (descriptor oc)));
  close_out oc;
  (try ignore (descriptor oc) with Sys_error m -> say "%s" m);
  say "%s" (write (openfile [ Unix.O_WRONLY; Unix.O_TRUNC ]) ([ 1; 2; 3 ], "marshalled", 1.5));
  garbage ();
  let (l, s, f), digest, report = read (openfile [ Unix.O_RDONLY ]) in
  garbage ();
  say "%s" report;
  say "%s %s %g %s" (String.concat "," (List.map string_of_int l)) s f (Digest.to_hex digest);
  let ic = share (openfile [ Unix.O_RDONLY ]) in
  let a = shared_byte () in
  let b = input_char ic in
  let c = shared_byte () in
  say "%d %d %d %d" a (Char.code b) c (pos_in ic);
  Gc.full_major ();
  close_shared ();
  let ic = open_in_bin name in
  (try locked_end ic with End_of_file -> say "the end");
  say "%d" (in_channel_length ic);
  seek_in ic 0;
  say "%C %b" (input_char ic) (lock_hooks ());
  close_in ic;
  Sys.remove name
