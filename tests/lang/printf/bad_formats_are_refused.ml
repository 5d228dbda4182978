let attempt s fmt =
  match Scanf.format_from_string s fmt with
  | _ -> Printf.printf "%S accepted\n" s
  | exception Failure m -> Printf.printf "Failure %s\n" m
  | exception Scanf.Scan_failure m -> Printf.printf "Scan_failure %s\n" m
  | exception Invalid_argument m -> Printf.printf "Invalid_argument %s\n" m

let () =
  List.iter (fun s -> attempt s "%d")
    [ "%d"; "%i"; "%s"; "%"; "%d %d"; "text"; "%5d"; "%-5d"; "%+d"; "%0-5d"; "%q"; "%.3d";
        "%%%d"; "%ld";
      "%-"; "%(%d"; "%*d"; "%!%d"; "%@%d"; "%,%d"; "%_d%d" ]
