(* packages: threads.posix,unix,str,zarith,yojson - threads that use libraries of stubs at once. *)
let result = Array.make 6 ""

let factorial n =
  let rec go acc n = if n = 0 then acc else go (Z.mul acc (Z.of_int n)) (n - 1) in
  Z.to_string (Z.rem (go Z.one n) (Z.of_string "1000000000000000000000007"))

let words n =
  let text = String.concat ", " (List.init n string_of_int) in
  let found = Str.split (Str.regexp ", *") text in
  Printf.sprintf "%d words, the last %s" (List.length found) (List.nth found (n - 1))

let document n =
  let item i = `Assoc ["i", `Int i; "s", `String (string_of_int i)] in
  let text = Yojson.Basic.to_string (`List (List.init n item)) in
  let items = Yojson.Basic.Util.to_list (Yojson.Basic.from_string text) in
  Printf.sprintf "%d bytes, %d items" (String.length text) (List.length items)

let through_a_pipe n =
  let r, w = Unix.pipe () in
  let writer = Thread.create (fun () ->
    let out = Unix.out_channel_of_descr w in
    for i = 1 to n do Printf.fprintf out "%d\n" i; if i mod 50 = 0 then flush out done;
    close_out out) () in
  let input = Unix.in_channel_of_descr r in
  let sum = ref 0 in
  (try while true do sum := !sum + int_of_string (input_line input) done
   with End_of_file -> close_in input);
  Thread.join writer;
  string_of_int !sum

let child n =
  let c = Unix.open_process_in (Printf.sprintf "echo %d; exit %d" n (n mod 100)) in
  let line = input_line c in
  match Unix.close_process_in c with
  | Unix.WEXITED s -> Printf.sprintf "%s, status %d" line s
  | _ -> "?"

let wait n =
  let ready, _, _ = Unix.select [] [] [] (float n /. 1000.) in
  Printf.sprintf "%d ready" (List.length ready)

let () =
  let jobs = [| factorial, 400; words, 300; document, 150; through_a_pipe, 400; child, 342;
                wait, 20 |] in
  let threads = Array.mapi (fun i (f, n) -> Thread.create (fun () -> result.(i) <- f n) ()) jobs in
  Array.iter Thread.join threads;
  Array.iter print_endline result
