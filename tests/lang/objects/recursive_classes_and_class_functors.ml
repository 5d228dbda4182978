class node v = object
  val mutable next : node option = None
  method v : int = v
  method next = next
  method link n = next <- Some n
end
and chain = object (self)
  val mutable head : node option = None
  method add v =
    let n = new node v in
    (match head with None -> () | Some h -> n#link h);
    head <- Some n
  method sum =
    let rec go acc = function None -> acc | Some (n : node) -> go (acc + n#v) n#next in
    go 0 head
  initializer self#add 1000
end

module type NAMED = sig val name : string end
module Make (N : NAMED) = struct
  class greeter = object
    method greet who = N.name ^ " greets " ^ who
  end
  class loud = object inherit greeter as g method! greet who = String.uppercase_ascii (g#greet
      who) end
end

module E = Make (struct let name = "emma" end)
module F = Make (struct let name = "fred" end)

let () =
  let c = new chain in
  for i = 1 to 100 do c#add i done;
  Printf.printf "%d\n" c#sum;
  print_endline ((new E.greeter)#greet "you");
  print_endline ((new F.loud)#greet "me");
  let local () = let open struct class k x = object method get = x * 2 end end in (new k 21)#get in
  Printf.printf "%d\n" (local ())
