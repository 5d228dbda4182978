#use "parts/shapes.ml";;
#mod_use "parts/units.ml";;
let () = List.iter (fun s -> Printf.printf "%s: %.2f%s\n" (name s) (area s) Units.area) [Circle 1.; Square 2.]
