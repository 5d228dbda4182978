(* libs: unix.cma threads.cma *)
(* flags: -I +threads -I +unix *)
(* A sieve of threads and channels; choose, wrap, guard, poll and wrap_abort. *)
open Event
let p fmt = Printf.printf (fmt ^^ "\n%!")
let rec from ch n = sync (send ch n); if n < 60 then from ch (n + 1) else sync (send ch 0)
let rec filter i o pr = match sync (receive i) with 0 -> sync (send o 0) | n -> if n mod pr <> 0 then sync (send o n);
  filter i o pr
let () =
  let ch = new_channel () in ignore (Thread.create (from ch) 2);
  let rec go ch = match sync (receive ch) with 0 -> p "." | pr -> Printf.printf "%d " pr;
  let o = new_channel () in ignore (Thread.create (fun () -> filter ch o pr) ()); go o in go ch;
  let a = new_channel () and b = new_channel () in
  let t = Thread.create (fun () -> sync (send a 1)) () in
  p "%s" (select [ wrap (receive a) (fun n -> "a" ^ string_of_int n); wrap (receive b) (fun s -> "b" ^ s) ]);
  Thread.join t;
  p "%s" (sync (choose [ always "always"; wrap (receive b) (fun s -> s) ]));
  p "%b" (poll (receive a) = None); p "%s" (match poll (always 3) with Some n -> string_of_int n | None -> "none");
  let aborted = ref false in
  p "%d" (sync (choose [ always 1; wrap_abort (receive a) (fun () -> aborted := true) ])); p "aborted %b" !aborted;
  p "%d" (sync (guard (fun () -> p "guarded"; always 9)));
  let t = Thread.create (fun () -> p "got %d" (sync (receive a))) () in
  sync (wrap (send a 8) (fun () -> p "sent")) ; Thread.join t
