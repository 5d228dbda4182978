(* A full collection of a map whose nodes came in random order, so that hardly a pointer leads to
   memory that is near. *)
module Map = Map.Make (struct
  type t = int

  let compare (a : int) b = compare a b
end)

let () =
  let n = int_of_string Sys.argv.(1) in
  let rec build i key map =
    if i = 0 then map
    else build (i - 1) (((key * 1103515245) + 12345) land 0x3fffffff) (Map.add key i map)
  in
  let start = Sys.time () in
  let map = build n 1 Map.empty in
  let built = Sys.time () in
  for _ = 1 to 3 do
    Gc.full_major ()
  done;
  let nodes = float (Map.cardinal map) in
  let ended = Sys.time () in
  Printf.printf "insert %.0f\n" ((built -. start) *. 1e9 /. nodes);
  Printf.printf "fullmajor %.1f\n" ((ended -. built) *. 1e9 /. 3. /. nodes)
