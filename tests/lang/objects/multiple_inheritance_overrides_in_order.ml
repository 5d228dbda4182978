class a = object method who = "a" method only_a = 1 end
class b = object method who = "b" method only_b = 2 end
class ab = object inherit a as x inherit b as y method both = x#who ^ y#who end
class ba = object inherit b inherit a as last method! who = "<" ^ last#who ^ ">" end

class with_state n = object
  val mutable v : int = n
  method v = v
  method set x = v <- x
end

class two = object
  inherit with_state 1 as first
  inherit with_state 2 as second
  method all = (first#v, second#v)
end

let () =
  let o = new ab and p = new ba in
  Printf.printf "%s %s %d %d %s\n" o#who o#both o#only_a o#only_b p#who;
  let t = new two in
  t#set 9;
  let x, y = t#all in
  Printf.printf "%d %d %d\n" x y t#v
