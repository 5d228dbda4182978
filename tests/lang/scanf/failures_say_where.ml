let attempt name f = match f () with
  | () -> Printf.printf "%s ok\n" name
  | exception Scanf.Scan_failure m -> Printf.printf "%s: Scan_failure %s\n" name m
  | exception Failure m -> Printf.printf "%s: Failure %s\n" name m
  | exception End_of_file -> Printf.printf "%s: End_of_file\n" name

let () =
  let open Scanf in
  attempt "int" (fun () -> sscanf "abc" "%d" ignore);
  attempt "empty" (fun () -> sscanf "" "%d" ignore);
  attempt "literal" (fun () -> sscanf "ab" "ac" ());
  attempt "rest" (fun () -> sscanf "12 x" "%d%!" ignore);
  attempt "bool" (fun () -> sscanf "maybe" "%B" ignore);
  attempt "char" (fun () -> sscanf "'ab'" "%C" ignore);
  attempt "string" (fun () -> sscanf "\"abc" "%S" ignore);
  attempt "range" (fun () -> sscanf "99999999999999999999" "%d" ignore);
  attempt "float" (fun () -> sscanf "." "%f" ignore);
  attempt "unit" (fun () -> sscanf "5 6" "%d %d" (fun _ _ -> ()));
  Printf.printf "%d\n" (sscanf "oops" "%d" (fun n -> n) |> fun n -> n) [@warning "-21"]
