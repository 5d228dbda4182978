(* ocaml5: no: its ephemerons are immutable *)
(* Keys and data of ephemerons are stored, copied and moved while the collector marks (#9391, #7161,
   #11503); copies of weak values leave custom blocks alone (#7279, #13859). *)
let churn n = ignore (Sys.opaque_identity (List.init n string_of_int)); ignore (Gc.major_slice 100)

module E = Ephemeron.K1
module E2 = Ephemeron.K2

let () =
  let keys = Array.init 500 (fun i -> ref i) in
  let es = Array.init 500 (fun _ -> E.create ()) in
  for round = 1 to 6 do
    Array.iteri
      (fun i e ->
        E.set_key e keys.(i);
        E.set_data e (Array.make (1 + i mod 5) (i * round));
        if i mod 50 = 0 then churn 500)
      es;
    Array.iteri (fun i e -> if i mod 3 = 0 then E.blit_key e es.((i + 1) mod 500)) es;
    Array.iteri (fun i e -> if i mod 7 = 0 then E.blit_data e es.((i + 3) mod 500)) es;
    churn 3000;
    if round mod 2 = 0 then Gc.full_major ();
    let sum = Array.fold_left (fun acc e -> match E.get_data e with Some a -> acc + Array.length a * a.(0) | None -> acc + 1) 0 es in
    Printf.printf "%d " sum
  done;
  print_newline ();
  ignore (Sys.opaque_identity keys)

let () =
  let k1 = ref 1 and k2 = ref 2 in
  let e = E2.create () in
  E2.set_key1 e k1; E2.set_key2 e k2; E2.set_data e (String.make 3 'd');
  let f = E2.create () in
  E2.blit_key12 e f; E2.blit_data e f;
  Gc.full_major ();
  Printf.printf "%b %b %b\n" (E2.check_key1 f) (E2.check_key2 f) (E2.get_data f = Some "ddd");
  E2.unset_key1 e;
  Gc.full_major ();
  Printf.printf "%b %b\n" (E2.check_data e) (E2.check_data f);
  ignore (Sys.opaque_identity (k1, k2))

let () =
  let open Bigarray in
  let w = Weak.create 3 in
  let a = Array1.init int c_layout 100 (fun i -> i) in
  Weak.set w 0 (Some a);
  (match Weak.get_copy w 0 with
   | Some c ->
     c.{5} <- 77;
     Printf.printf "%b %d\n" (a.{5} = 77) c.{6}
   | None -> print_endline "none");
  Gc.full_major ();
  Printf.printf "%d\n" a.{5};
  let chans = Weak.create 1 in
  Weak.set chans 0 (Some stdout);
  (match Weak.get_copy chans 0 with Some c -> Printf.printf "%b\n" (c = stdout) | None -> print_endline "none");
  Gc.full_major ();
  print_endline "still open"
