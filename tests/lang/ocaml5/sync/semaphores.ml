(* Counting and binary semaphores: values, errors, use between domains. *)
let say fmt = Printf.printf (fmt ^^ "\n%!")
let show name f = match f () with s -> say "%s: %s" name s | exception e -> say "%s: %s" name (Printexc.to_string e)
module C = Semaphore.Counting
module B = Semaphore.Binary
let () =
  let s = C.make 2 in
  show "value" (fun () -> string_of_int (C.get_value s));
  C.acquire s; C.acquire s;
  show "empty" (fun () -> Printf.sprintf "%d %b" (C.get_value s) (C.try_acquire s));
  C.release s; C.release s; C.release s;
  show "three" (fun () -> string_of_int (C.get_value s));
  show "negative" (fun () -> ignore (C.make (-1)); "?");
  show "largest" (fun () -> let s = C.make max_int in C.release s; "?");
  let b = B.make true in
  show "binary" (fun () -> let a = B.try_acquire b in let c = B.try_acquire b in Printf.sprintf "%b %b" a c);
  B.release b; B.release b;
  show "released twice" (fun () -> let a = B.try_acquire b in let c = B.try_acquire b in Printf.sprintf "%b %b" a c);
  let room = C.make 2 and inside = Atomic.make 0 and most = Atomic.make 0 in
  let work () = for _ = 1 to 100 do
    C.acquire room;
    let n = Atomic.fetch_and_add inside 1 + 1 in
    if n > Atomic.get most then Atomic.set most n;
    ignore (Sys.opaque_identity (List.init 10 Fun.id));
    Atomic.decr inside; C.release room done in
  List.iter Domain.join (List.init 4 (fun _ -> Domain.spawn work));
  say "at most two: %b, now %d" (Atomic.get most <= 2) (C.get_value room);
  let ping = B.make true and pong = B.make false in
  let log = Buffer.create 100 in
  let player mine other c () = for _ = 1 to 20 do B.acquire mine; Buffer.add_char log c; B.release other done in
  let d = Domain.spawn (player ping pong 'a') and e = Domain.spawn (player pong ping 'b') in
  Domain.join d; Domain.join e; say "%s" (Buffer.contents log)
