(* A window of GTK 3: signals that call OCaml, a timeout, an idle function that collects, a text buffer. *)
let () =
  ignore (GtkMain.Main.init ());
  let window = GWindow.window ~title:"stubs" ~width:200 ~height:100 () in
  let box = GPack.vbox ~packing:window#add () in
  let button = GButton.button ~label:"press" ~packing:box#add () in
  let view = GText.view ~packing:box#add () in
  let clicks = ref 0 and idles = ref 0 in
  ignore (window#connect#destroy ~callback:GMain.Main.quit);
  ignore (button#connect#clicked ~callback:(fun () ->
    incr clicks;
    view#buffer#insert (Printf.sprintf "click %d\n" !clicks);
    Gc.full_major ()));
  window#show ();
  ignore (GMain.Idle.add (fun () -> incr idles; ignore (List.init 1000 string_of_int); !idles < 50));
  ignore (GMain.Timeout.add ~ms:50 ~callback:(fun () ->
    let ended = !clicks = 5 && !idles = 50 in
    if ended then begin print_string (view#buffer#get_text ()); window#destroy () end
    else if !clicks < 5 then button#clicked ();
    not ended));
  GMain.Main.main ();
  Printf.printf "%d clicks, %d idles\n" !clicks !idles
