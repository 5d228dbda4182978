type cell = { mutable next : cell option; id : int }

let () =
  let old = Array.init 200 (fun i -> { next = None; id = i }) in
  Gc.full_major ();
  for round = 1 to 50 do
    for i = 0 to 199 do
      old.(i).next <- Some { next = old.((i + round) mod 200).next; id = (round * 1000) + i }
    done;
    if round mod 10 = 0 then begin
      Gc.minor ();
      Array.iter (fun c -> c.next <- (match c.next with Some { next;
          _ } -> next | None -> None)) old
    end
  done;
  let rec length acc = function None -> acc | Some c -> length ((acc + c.id) land 0xFFFF) c.next in
  let total = Array.fold_left (fun acc c -> (acc * 7 + length 0 c.next) land 0xFFFFFF) 0 old in
  Printf.printf "%d\n" total
