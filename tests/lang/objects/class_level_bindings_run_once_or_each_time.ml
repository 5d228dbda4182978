let made = ref 0

class c arg =
  let () = incr made in
  let derived = arg * 10 in
  object
    val table = Hashtbl.create 3
    method derived = derived
    method put k v = Hashtbl.replace table k v; Hashtbl.length table
    method get : string -> int = Hashtbl.find table
  end

class default ?(x = 1) ~y () = object method sum = x + y end

let () =
  let a = new c 1 and b = new c 2 in
  Printf.printf "%d %d %d\n" !made a#derived b#derived;
  Printf.printf "%d %d %d\n" (a#put "x" 1) (a#put "y" 2) (b#put "z" 3);
  Printf.printf "%d\n" (a#get "y");
  (try ignore (b#get "x") with Not_found -> print_endline "Not_found");
  Printf.printf "%d %d\n" (new default ~y:5 ())#sum (new default ~x:10 ~y:5 ())#sum;
  let f = new c in
  Printf.printf "%d %d\n" (f 7)#derived !made
