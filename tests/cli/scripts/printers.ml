#use "topfind";;
#require "str";;
let show f x = Format.printf "%a@." f x
let pp_list f out l = Format.fprintf out "@[<hov 2>[%a]@]" (Format.pp_print_list ~pp_sep:(fun out () -> Format.fprintf out ";@ ") f) l;;
#install_printer pp_list;;
#print_length 10;;
show (pp_list Format.pp_print_int) (List.init 40 (fun i -> i * i));;
