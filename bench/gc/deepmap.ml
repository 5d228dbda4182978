(* A map that is not tail-recursive: the stack becomes as long as the list. *)
let rec map f = function
  | [] -> []
  | x :: rest ->
      let y = f x in
      y :: map f rest

let () =
  let list = List.rev (List.rev_map succ (List.init (int_of_string Sys.argv.(1)) Fun.id)) in
  let start = Sys.time () in
  let mapped = map (fun x -> (x, x + 1)) list in
  Printf.printf "deepmap %.1f\n" ((Sys.time () -. start) *. 1e3);
  assert (List.length mapped = List.length list)
