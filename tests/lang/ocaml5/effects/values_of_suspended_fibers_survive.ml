(* What only a suspended stack holds survives minor and major collections and compaction. *)
open Effect.Deep
type _ Effect.t += Park : int -> int Effect.t
let parked : (int, (int, string) continuation) Hashtbl.t = Hashtbl.create 100
let start f = match_with f () { retc = Fun.id; exnc = Printexc.to_string;
  effc = (fun (type a) (e : a Effect.t) -> match e with
    | Park n -> Some (fun (k : (a, string) continuation) -> Hashtbl.replace parked n k; "parked") | _ -> None) }
let task i () =
  let a = Array.init (i mod 17) (fun j -> string_of_int (i * j)) in
  let f = float_of_int i *. 1.5 in
  let l = List.init (i mod 5) (fun j -> ref (i + j)) in
  let closure x = x + i + List.length l in
  let first = Effect.perform (Park i) in
  List.iter (fun r -> r := !r * 2) l;
  let again = Array.map (fun s -> s ^ "!") a in
  let second = Effect.perform (Park i) in
  Printf.sprintf "%d %d %.1f %s %s %d" first second f (String.concat "," (Array.to_list again))
    (String.concat "," (List.map (fun r -> string_of_int !r) l)) (closure 1000)
let () =
  for i = 0 to 299 do assert (start (task i) = "parked") done;
  Gc.minor ();
  for i = 0 to 299 do assert (continue (Hashtbl.find parked i) (i + 1) = "parked"); if i mod 50 = 0 then Gc.full_major () done;
  for _ = 1 to 100 do ignore (Sys.opaque_identity (List.init 1000 string_of_int)) done;
  Gc.compact ();
  let results = List.init 300 (fun i -> continue (Hashtbl.find parked i) (i * 2)) in
  List.iteri (fun i s -> if i mod 23 = 0 then print_endline s) results;
  Printf.printf "%s\n" (Digest.to_hex (Digest.string (String.concat "\n" results)))
