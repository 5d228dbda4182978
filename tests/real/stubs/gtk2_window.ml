(* A window of GTK 2: signals that call OCaml, a timeout, an idle function that collects, the picture's digest. *)
let () =
  ignore (GtkMain.Main.init ());
  let window = GWindow.window ~title:"stubs" ~width:200 ~height:100 () in
  let box = GPack.vbox ~packing:window#add () in
  let button = GButton.button ~label:"press" ~packing:box#add () in
  let area = GMisc.drawing_area ~packing:box#add () in
  let clicks = ref 0 and idles = ref 0 in
  ignore (window#connect#destroy ~callback:GMain.Main.quit);
  ignore (button#connect#clicked ~callback:(fun () -> incr clicks; Gc.full_major ()));
  ignore (area#event#connect#expose ~callback:(fun _ ->
    let d = new GDraw.drawable area#misc#window in
    d#set_foreground (`NAME "red");
    d#rectangle ~filled:true ~x:5 ~y:5 ~width:50 ~height:20 ();
    true));
  window#show ();
  ignore (GMain.Idle.add (fun () -> incr idles; ignore (List.init 1000 string_of_int); !idles < 50));
  let finish () =
    let pixels = GdkPixbuf.create ~width:60 ~height:30 () in
    GdkPixbuf.get_from_drawable ~dest:pixels area#misc#window;
    let bytes = GdkPixbuf.get_pixels pixels in
    let byte i = Char.chr (Gpointer.get_byte bytes ~pos:i) in
    let text = String.init (Gpointer.length bytes) byte in
    Printf.printf "%d %s\n" (String.length text) (Digest.to_hex (Digest.string text));
    window#destroy () in
  ignore (GMain.Timeout.add ~ms:50 ~callback:(fun () ->
    let ended = !clicks = 5 && !idles = 50 in
    if ended then finish () else if !clicks < 5 then button#clicked ();
    not ended));
  GMain.Main.main ();
  Printf.printf "%d clicks, %d idles, title %s\n" !clicks !idles "stubs"
