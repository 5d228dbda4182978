(* With slow_files.c: each operation on a file waits until another thread has made the file "go". *)
let wanted = ref 0
let made = ref 0

let helper () =
  while !wanted >= 0 do
    if !wanted > !made then begin
      (* Young blocks, and collections, while the other thread is in the system. *)
      ignore (Sys.opaque_identity (List.init 1000 string_of_int));
      Gc.minor ();
      made := !wanted; (* before the file lets the other one go on *)
      close_out (open_out "go")
    end;
    Thread.delay 0.001
  done

let during name f =
  let was = !wanted + 1 in
  wanted := was;
  let result = match f () with s -> s | exception Sys_error text -> text in
  Printf.printf "%s: %s, others ran: %b\n%!" name result (!made = was);
  while !made < was do Thread.delay 0.001 done;
  if Sys.file_exists "go" then Sys.remove "go"

let () =
  let thread = Thread.create helper () in
  (* Paths that are young while their thread waits. *)
  let path s = String.concat "" [ "slow"; s ] in
  let unit f () = f (); "done" in
  close_out (open_out "fast");
  during "mkdir" (unit (fun () -> Sys.mkdir (path "-folder") 0o700));
  during "mkdir again" (unit (fun () -> Sys.mkdir (path "-folder") 0o700));
  during "exists" (fun () -> string_of_bool (Sys.file_exists (path "-folder")));
  during "exists not" (fun () -> string_of_bool (Sys.file_exists (path "-other")));
  during "is_directory" (fun () -> string_of_bool (Sys.is_directory (path "-folder")));
  during "rename" (unit (fun () -> Sys.rename (path "-folder") (path "-place")));
  during "rename nothing" (unit (fun () -> Sys.rename (path "-folder") (path "-place")));
  during "remove nothing" (unit (fun () -> Sys.remove (path "-file")));
  during "readdir" (fun () ->
    let names = Sys.readdir "." in
    string_of_bool (Array.exists (( = ) "slow-place") names));
  during "rmdir" (unit (fun () -> Sys.rmdir (path "-place")));
  Sys.mkdir "fast-folder" 0o700;
  Sys.rename "fast-folder" "last";
  during "chdir nowhere" (unit (fun () -> Sys.chdir (path "-nowhere")));
  Sys.rmdir "last";
  Sys.remove "fast";
  wanted := -1;
  Thread.join thread
