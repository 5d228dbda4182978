(* Effects performed in functions that the standard library calls: sort, fold, printf, lazy, seq. *)
open Effect.Deep
type _ Effect.t += Ask : int -> int Effect.t | Emit : string -> unit Effect.t
let say fmt = Printf.printf (fmt ^^ "\n")
let count = ref 0
let run f = count := 0; match_with f () { retc = Fun.id; exnc = Printexc.to_string;
  effc = (fun (type a) (e : a Effect.t) -> match e with
    | Ask n -> Some (fun (k : (a, string) continuation) -> incr count; continue k n)
    | Emit s -> Some (fun (k : (a, string) continuation) -> print_string s; continue k ())
    | _ -> None) }
let cmp a b = Effect.perform (Ask (compare a b))
let ints l = String.concat " " (List.map string_of_int l)
let () =
  let numbers = List.init 50 (fun i -> (i * 37) mod 101) in
  say "%s" (run (fun () -> ints (List.sort cmp numbers)));
  say "%s" (run (fun () -> let a = Array.of_list numbers in Array.stable_sort cmp a; ints (Array.to_list a)));
  say "%s" (run (fun () -> let a = Array.of_list numbers in Array.sort cmp a; ints (Array.to_list a)));
  let module S = Set.Make (struct type t = int let compare = cmp end) in
  say "%s" (run (fun () -> ints (S.elements (S.of_list numbers))));
  say "%s" (run (fun () -> let h = Hashtbl.create 8 in List.iter (fun n -> Hashtbl.replace h n n) numbers;
    string_of_int (Hashtbl.fold (fun _ v s -> s + Effect.perform (Ask v)) h 0)));
  say "%s" (run (fun () -> Printf.ksprintf (fun s -> Effect.perform (Emit "[k]"); s) "%d %a" 5 (fun () n -> Effect.perform (Emit "[a]"); string_of_int n) 6));
  say "%s" (run (fun () -> Format.asprintf "%a|%t" (fun ppf n -> Effect.perform (Emit "[f]"); Format.pp_print_int ppf n) 7 (fun ppf -> Effect.perform (Emit "[t]"); Format.pp_print_string ppf "x")));
  say "%s" (run (fun () -> let l = lazy (Effect.perform (Ask 9)) in string_of_int (Lazy.force l + Lazy.force l)));
  say "%d" !count;
  say "%s" (run (fun () -> Seq.unfold (fun n -> if n > 5 then None else Some (Effect.perform (Ask n), n + 1)) 0 |> List.of_seq |> ints));
  say "%s" (run (fun () -> String.map (fun c -> Effect.perform (Emit "."); Char.uppercase_ascii c) "word"));
  say "%s" (run (fun () -> let b = Buffer.create 1 in Buffer.add_substitute b (fun s -> Effect.perform (Emit s); s ^ s) "a $x b ${yz}"; Buffer.contents b));
  say "%s" (run (fun () -> Fun.protect ~finally:(fun () -> Effect.perform (Emit "[fin]")) (fun () -> "protected")));
  say "%s" (run (fun () -> Scanf.sscanf "12 abc" "%d %s" (fun n s -> string_of_int (Effect.perform (Ask n)) ^ s)));
  let emit i = Effect.perform (Emit (string_of_int i ^ ";")) in
  let emitted f = say "%s" (run (fun () -> f (); "")) in
  let module M = Map.Make (Int) in
  emitted (fun () -> M.iter (fun k v -> emit (k + v)) (M.of_list [ (1, 10); (2, 20) ]));
  emitted (fun () -> Array.iter emit [| 1; 2; 3 |]; ignore (Bytes.init 2 (fun i -> emit i; 'a')));
  emitted (fun () -> Seq.iter emit (Seq.take 3 (Seq.ints 5)));
  emitted (fun () -> Format.printf "%t@." (fun _ -> emit 42));
  emitted (fun () -> for i = 1 to 3 do Fun.protect ~finally:(fun () -> emit (-i)) (fun () -> emit i) done);
  emitted (fun () -> try (try emit 1; raise Exit with Exit -> emit 2; raise Not_found) with Not_found -> emit 3);
  let o = object method m i = emit i end in
  emitted (fun () -> o#m 1; Callback.register "effects" emit; o#m 2)
