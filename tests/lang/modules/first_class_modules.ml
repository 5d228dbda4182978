module type SHAPE = sig
  type t
  val name : string
  val make : int -> t
  val area : t -> int
end

module Square = struct type t = int let name = "square" let make n = n let area n = n * n end
module Line = struct type t = { len : int } let name = "line" let make len = { len } let area _ =
    0 end

let shapes : (module SHAPE) list = [ (module Square); (module Line); (module Square) ]

let describe (module S : SHAPE) n = Printf.sprintf "%s:%d" S.name (S.area (S.make n))

let sort (type a) (module O : Set.OrderedType with type t = a) (l : a list) =
  let module S = Set.Make (O) in
  S.elements (S.of_list l)

let pack n = (module struct type t = int let name = "p" ^ string_of_int n let make k = k + n let
    area t = t end
  : SHAPE)

let () =
  List.iteri (fun i s -> print_endline (describe s i)) shapes;
  List.iter (Printf.printf "%d ") (sort (module Int) [ 3; 1; 2; 3 ]);
  List.iter (Printf.printf "%s ") (sort (module String) [ "c"; "a" ]);
  let table = Hashtbl.create 3 in
  List.iter (fun n -> Hashtbl.add table n (pack n)) [ 1; 2; 3 ];
  print_endline (describe (Hashtbl.find table 2) 40);
  let (module P) = pack 7 in
  let module Q = struct include P let name = P.name ^ "!" end in
  print_endline (describe (module Q) 1)
