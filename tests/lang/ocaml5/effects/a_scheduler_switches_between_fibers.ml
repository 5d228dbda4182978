open Effect
open Effect.Deep

type _ Effect.t += Fork : (unit -> unit) -> unit t | Yield : unit t | Wait : int -> int t | Set : int * int -> unit t

let run main =
  let ready = Queue.create () and waiting = Hashtbl.create 16
  and values : (int, int) Hashtbl.t = Hashtbl.create 16 in
  let next () = match Queue.take_opt ready with None -> () | Some f -> f () in
  let rec spawn f =
    match_with f () {
      retc = next;
      exnc = (fun e -> Printf.printf "died: %s\n" (Printexc.to_string e); next ());
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Yield -> Some (fun (k : (a, unit) continuation) ->
            Queue.add (fun () -> continue k ()) ready; next ())
        | Fork f -> Some (fun (k : (a, unit) continuation) ->
            Queue.add (fun () -> continue k ()) ready; spawn f)
        | Wait i -> Some (fun (k : (a, unit) continuation) ->
            (match Hashtbl.find_opt values i with
             | Some v -> continue k v
             | None -> Hashtbl.add waiting i (k : (int, unit) continuation); next ()))
        | Set (i, v) -> Some (fun (k : (a, unit) continuation) ->
            Hashtbl.replace values i v;
            List.iter (fun w -> Queue.add (fun () -> continue w v) ready) (Hashtbl.find_all waiting i);
            while Hashtbl.mem waiting i do Hashtbl.remove waiting i done;
            continue k ())
        | _ -> None } in
  spawn main;
  if Hashtbl.length waiting > 0 then Printf.printf "%d wait for ever\n" (Hashtbl.length waiting)

let () =
  run (fun () ->
    for i = 1 to 4 do
      perform (Fork (fun () ->
        for j = 1 to 3 do Printf.printf "%d.%d\n" i j; perform Yield done;
        if i = 3 then failwith "three";
        perform (Set (i, i * i))))
    done;
    Printf.printf "four: %d\n" (perform (Wait 4));
    perform (Fork (fun () -> Printf.printf "three: %d\n" (perform (Wait 3)))))

(* A pipeline of a thousand fibers, each waiting for the one before it. *)
let () =
  run (fun () ->
    let n = 1000 in
    for i = n downto 1 do
      perform (Fork (fun () -> perform (Set (i, (perform (Wait (i - 1)) * 31 + i) land 0xffff))))
    done;
    perform (Set (0, 1));
    Printf.printf "pipeline: %d\n" (perform (Wait n)));
  let turns = ref 0 in
  run (fun () ->
    for i = 1 to 2000 do
      perform (Fork (fun () -> for _ = 1 to 20 do incr turns; perform Yield done))
    done);
  Printf.printf "turns: %d\n" !turns
