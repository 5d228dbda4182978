(* Atomics: no update is lost. *)
let parallel n f = List.iter Domain.join (List.init n (fun i -> Domain.spawn (fun () -> f i)))

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

let () =
  let n = Atomic.make 0 in
  parallel 4 (fun _ -> for _ = 1 to 20_000 do Atomic.incr n done);
  Printf.printf "%d\n" (Atomic.get n);
  parallel 4 (fun i -> for _ = 1 to 5_000 do ignore (Atomic.fetch_and_add n (i - 2)) done);
  Printf.printf "%d\n" (Atomic.get n);
  let s = Stack.create () in
  parallel 4 (fun i -> for j = 1 to 2_000 do Stack.push s ((10_000 * i) + j) done);
  let popped = Array.make 4 [] in
  parallel 4 (fun i ->
      let rec drain () =
        match Stack.pop s with
        | None -> ()
        | Some x -> popped.(i) <- x :: popped.(i); drain () in
      drain ());
  let all = List.sort compare (List.concat (Array.to_list popped)) in
  let want = List.concat (List.init 4 (fun i -> List.init 2_000 (fun j -> (10_000 * i) + j + 1))) in
  Printf.printf "%d %b\n" (List.length all) (all = want);
  (* each number is taken by exactly one *)
  let next = Atomic.make 0 and owners = Array.make 5_000 0 in
  parallel 4 (fun i ->
      let rec take () =
        let k = Atomic.fetch_and_add next 1 in
        if k < Array.length owners then (owners.(k) <- owners.(k) + i + 1; take ()) in
      take ());
  Printf.printf "%b\n" (Array.for_all (fun o -> o >= 1 && o <= 4) owners)
