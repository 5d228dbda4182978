class point x = object
  val mutable x = x
  method get = x
  method move d = x <- x + d
end

exception E of int

let () =
  let p = new point 3 in
  (try ignore (Marshal.to_string p []) with Invalid_argument s -> print_endline s);
  let q : point = Marshal.from_string (Marshal.to_string p [ Marshal.Closures ]) 0 in
  q#move 10;
  Printf.printf "%d %d\n" p#get q#get;
  Printf.printf "%b %b\n" (Oo.id p = Oo.id q) (p = q);
  let e : exn = Marshal.from_string (Marshal.to_string (E 5) []) 0 in
  (match e with E n -> Printf.printf "same %d\n" n | _ -> print_endline "another constructor");
  print_endline (Printexc.to_string e);
  let n : exn = Marshal.from_string (Marshal.to_string Not_found []) 0 in
  Printf.printf "%b %s\n" (n = Not_found) (Printexc.to_string n)
