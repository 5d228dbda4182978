(* Loops without allocation give others their turn; each thread keeps its own stack and traps. *)
let stop = ref false
let rec count n = if !stop then n else count (n + 1)
let rec nest n f = if n = 0 then f () else try 1 + nest (n - 1) f with Exit -> 1

let () =
  let t = Thread.create (fun () -> ignore (count 0)) () in
  let u = Thread.create (fun () -> nest 1000 (fun () -> ignore (count 0); 0)) () in
  Thread.delay 0.13;
  let lists = List.init 4 (fun i -> Thread.create (fun () ->
    nest (100 * i) (fun () ->
      let l = ref [] in
      for k = 1 to 3000 do l := (k, string_of_int k) :: !l; if k mod 100 = 0 then Thread.yield () done;
      assert (List.length !l = 3000 && List.for_all (fun (k, s) -> string_of_int k = s) !l);
      raise Exit)) ()) in
  List.iter Thread.join lists;
  stop := true;
  Thread.join t;
  Thread.join u;
  print_endline "done"
