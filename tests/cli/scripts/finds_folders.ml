#directory "parts";;
#use "shapes.ml";;
#mod_use "units.ml";;
print_endline (name (Square 1.) ^ " in " ^ Units.length);;
