class point x0 = object (self)
  val mutable x = x0
  method x = x
  method move d = x <- x + d; self#moved
  method private moved = Printf.printf "moved to %d\n" x
  method to_string = Printf.sprintf "point %d" self#x
end

class coloured x c = object (self)
  inherit point x as super
  val colour : string = c
  method colour = colour
  method! to_string = super#to_string ^ " in " ^ self#colour
  method! private moved = super#moved; print_endline "repainted"
end

class third x = object
  inherit coloured x "red" as parent
  method! x = parent#x * 100
end

let () =
  let ps = [ new point 1; (new coloured 2 "blue" :> point); (new third 3 :> point) ] in
  List.iter (fun p -> p#move 10; print_endline p#to_string) ps;
  Printf.printf "%d\n" (List.fold_left (fun n p -> n + p#x) 0 ps)
