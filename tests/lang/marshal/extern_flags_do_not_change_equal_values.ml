let values : Obj.t list =
  [ Obj.repr 1; Obj.repr "s"; Obj.repr [ 1.0 ]; Obj.repr (1, (2, "x")); Obj.repr [| 5L |] ]

let () =
  List.iter (fun v ->
      let plain = Marshal.to_string v [] in
      List.iter (fun flags ->
          let s = Marshal.to_string v flags in
          Printf.printf "%b %b " (s = plain) (compare (Marshal.from_string s 0) v = 0))
        [ [ Marshal.No_sharing ]; [ Marshal.Closures ]; [ Marshal.Compat_32 ];
          [ Marshal.No_sharing; Marshal.Closures; Marshal.Compat_32 ] ];
      print_newline ())
    values
