(* dscheck runs a program in every order of its atomic operations that could matter, by effects. *)
module Atomic = Dscheck.TracedAtomic

(* A stack: its top is replaced if nobody else has replaced it. *)
module Stack = struct
  let create () = Atomic.make []

  let rec push s x =
    let old = Atomic.get s in
    if not (Atomic.compare_and_set s old (x :: old)) then push s x

  let rec pop s =
    match Atomic.get s with
    | [] -> None
    | x :: rest as old -> if Atomic.compare_and_set s old rest then Some x else pop s
end

(* A lock that waiters take in the order of their tickets; the owner counts. *)
module Ticket = struct
  type t = { next : int Atomic.t; served : int Atomic.t }

  let create () = { next = Atomic.make 0; served = Atomic.make 0 }

  let try_with l f =
    let ticket = Atomic.get l.next in
    if Atomic.get l.served = ticket && Atomic.compare_and_set l.next ticket (ticket + 1)
    then begin f (); Atomic.incr l.served; true end
    else false
end

let explored = ref 0

let report name body =
  explored := 0;
  match Atomic.trace (fun () -> body (); incr explored) with
  | () -> Printf.printf "%s: holds, %d orders\n%!" name !explored
  | exception e -> Printf.printf "%s: %s after %d orders\n%!" name (Printexc.to_string e) !explored

let two_pushes_and_a_pop () =
  let s = Stack.create () in
  let popped = ref None in
  Atomic.spawn (fun () -> Stack.push s 1);
  Atomic.spawn (fun () -> Stack.push s 2);
  Atomic.spawn (fun () -> popped := Stack.pop s);
  Atomic.final (fun () ->
    let left = Atomic.get s in
    let all = List.sort compare (Option.to_list !popped @ left) in
    Atomic.check (fun () -> all = [ 1; 2 ]))

let lock_excludes () =
  let lock = Ticket.create () and inside = Atomic.make 0 and entered = Atomic.make 0 in
  for _ = 1 to 2 do
    Atomic.spawn (fun () ->
      ignore (Ticket.try_with lock (fun () ->
        Atomic.incr inside;
        Atomic.check (fun () -> Atomic.get inside = 1);
        Atomic.decr inside;
        Atomic.incr entered)))
  done;
  Atomic.final (fun () -> Atomic.check (fun () -> Atomic.get entered >= 1))

let counter_loses () =
  let counter = Atomic.make 0 in
  let add () = Atomic.set counter (Atomic.get counter + 1) in
  Atomic.spawn add;
  Atomic.spawn add;
  Atomic.final (fun () -> Atomic.check (fun () -> Atomic.get counter = 2))

let counter_adds () =
  let counter = Atomic.make 0 in
  for i = 1 to 3 do Atomic.spawn (fun () -> ignore (Atomic.fetch_and_add counter i)) done;
  Atomic.final (fun () -> Atomic.check (fun () -> Atomic.get counter = 6))

let flags_seen () =
  let a = Atomic.make false and b = Atomic.make false in
  let seen = Atomic.make 0 in
  let cross mine other =
    Atomic.set mine true;
    if Atomic.get other then Atomic.incr seen in
  Atomic.spawn (fun () -> cross a b);
  Atomic.spawn (fun () -> cross b a);
  Atomic.final (fun () -> Atomic.check (fun () -> Atomic.get seen > 0))

let raises () =
  let a = Atomic.make_contended 3 in
  Atomic.spawn (fun () -> if Atomic.exchange a 5 = 4 then failwith "seen");
  Atomic.spawn (fun () -> Atomic.incr a);
  Atomic.every (fun () -> Atomic.check (fun () -> Atomic.get a >= 3))

let () =
  report "stack" two_pushes_and_a_pop;
  report "ticket lock" lock_excludes;
  report "counter by get and set" counter_loses;
  report "counter by fetch_and_add" counter_adds;
  report "two flags" flags_seen;
  report "an exception" raises
