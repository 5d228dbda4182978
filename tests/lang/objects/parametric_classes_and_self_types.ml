class ['a] stack = object (self : 'self)
  val mutable items : 'a list = []
  method push x = items <- x :: items; self
  method pop = match items with [] -> None | x :: r -> items <- r; Some x
  method size = List.length items
  method map : 'b. ('a -> 'b) -> 'b list = fun f -> List.map f items
  method same (o : 'self) = o#size = self#size
end

class counted = object
  inherit [ int ] stack as super
  val mutable pushes = 0
  method! push x = pushes <- pushes + 1; super#push (x * 2)
  method pushes = pushes
end

let () =
  let s = new counted in
  ignore ((s#push 1)#push 2);
  Printf.printf "%d %d\n" s#size s#pushes;
  List.iter print_endline (s#map string_of_int);
  Printf.printf "%b\n" (s#same (new counted));
  (match s#pop, s#pop, s#pop with
   | Some a, Some b, None -> Printf.printf "%d %d\n" a b
   | _ -> print_endline "?");
  let f : < push : string -> 'a; .. > as 'a = (new stack : string stack) in
  Printf.printf "%d\n" (f#push "x")#size
