#use "topfind";;
#thread;;
#require "threads";;
let results = Array.make 4 0 and lock = Mutex.create () and total = ref 0
let work i () =
  for n = 1 to 1000 do results.(i) <- results.(i) + n * i done;
  Mutex.lock lock; total := !total + results.(i); Mutex.unlock lock;;
List.iter Thread.join (List.init 4 (fun i -> Thread.create (work i) ()));;
Array.iter (Printf.printf "%d ") results; Printf.printf "= %d\n" !total
