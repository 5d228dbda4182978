(* Performs the attempts of its arguments, PLACE:KIND or PLACE:KIND:PATH. An attempt that fails is
   forgotten. This file needs the standard library only; evade_unix.ml follows where there is more. *)
let fact i = Sys.argv.(2 + i)
let quietly f = try f () with _ -> ()
let slurp ic = try while true do print_endline (input_line ic) done with End_of_file -> close_in ic
let folder path = Filename.dirname path

let act kind path = match kind with
  | "read" -> slurp (open_in path)
  | "write" -> let oc = open_out path in output_string oc "changed"; close_out oc
  | "append" ->
    let oc = open_out_gen [Open_append] 0 path in output_string oc "changed"; close_out oc
  | "mkdir" -> Sys.mkdir (folder path ^ "/made") 0o700
  | "remove" -> Sys.remove path
  | "rename_out" -> Sys.rename "in/mine" (folder path ^ "/moved")
  | "rename_in" ->
    (try Sys.rename path "in/made" with _ -> Sys.rename (folder path) "in/made_folder")
  | "swap" ->
    Sys.rename "in/folder" "in/aside";
    (try Sys.rename (folder path) "in/folder" with _ -> ()); slurp (open_in "in/folder/file")
  | "command" -> ignore (Sys.command ("echo > " ^ fact 2))
  | "getenv" -> print_endline (Sys.getenv "TOKEN")
  | "environ" -> slurp (open_in "/proc/self/environ")
  | "chdir" -> Sys.chdir (folder path); slurp (open_in (Filename.basename path))
  | kind -> failwith kind

let in_place place f = match place with
  | "main" -> f ()
  | "final" ->
    Gc.finalise (fun _ -> quietly f) (ref (Random.int 2)); Gc.full_major (); Gc.full_major ()
  | "exit" -> at_exit (fun () -> quietly f)
  | place -> failwith place

(* `made` says that the program came to its attempts. *)
let run act in_place =
  let first = if Array.length Sys.argv > 1 && Sys.argv.(1) = "facts" then 5 else 1 in
  for i = first to Array.length Sys.argv - 1 do
    (match String.split_on_char ':' Sys.argv.(i) with
     | place :: kind :: path ->
       let path = String.concat ":" path in
       quietly (fun () -> in_place place (fun () -> quietly (fun () -> act kind path)))
     | _ -> ());
    flush_all ()
  done;
  print_endline "made"
