#load "loaded.cmo";;
#use "used.ml";;
let () =
  Array.iteri (fun i a -> if i > 0 then Printf.printf "%d:%s " i a) Sys.argv;
  Printf.printf "%d %s\n" (power used_value 3) (Loaded.describe (Loaded.Line (Loaded.bump ())))
let () = failwith "the script fails"
