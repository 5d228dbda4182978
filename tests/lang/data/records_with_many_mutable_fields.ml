type r = { mutable f0 : int; mutable f1 : string; mutable f2 : float; mutable f3 : int list;
           mutable f4 : r option; mutable f5 : int; mutable f6 : char; mutable f7 : bool;
           mutable f8 : int array; f9 : unit -> string }

let rec make n =
  { f0 = n; f1 = string_of_int n; f2 = float n; f3 = [ n ]; f4 = None; f5 = 0; f6 = 'x'; f7 = false;
    f8 = [| n |]; f9 = (fun () -> "closure " ^ string_of_int n) }

let () =
  let r = make 1 in
  r.f0 <- 10; r.f1 <- "ten"; r.f2 <- 10.5; r.f3 <- 9 :: r.f3; r.f4 <- Some (make 2); r.f5 <- 55;
  r.f6 <- 'y'; r.f7 <- true; r.f8 <- [| 1; 2 |];
  Gc.minor ();
  r.f4 <- Some r;
  (match r.f4 with Some { f4 = Some r'; _ } -> r'.f5 <- r'.f5 + 1 | _ -> ());
  Printf.printf "%d %s %g %d %d %c %b %d %s\n" r.f0 r.f1 r.f2 (List.length r.f3) r.f5 r.f6 r.f7
    r.f8.(1) (r.f9 ());
  let copy = { r with f0 = 3; f9 = (fun () -> "other") } in
  Printf.printf "%d %s %b\n" copy.f0 (copy.f9 ()) (copy.f8 == r.f8)
