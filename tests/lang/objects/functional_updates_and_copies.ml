class account = object (self)
  val balance = 0
  val mutable history : int list = []
  method deposit n = {< balance = balance + n; history = n :: history >}
  method balance = balance
  method history = history
  method note n = history <- n :: history
  method twice = (self#deposit balance)#deposit 1
end

let () =
  let a = new account in
  let b = (a#deposit 10)#deposit 5 in
  let c = Oo.copy b in
  c#note 99;
  Printf.printf "%d %d %d\n" a#balance b#balance b#twice#balance;
  Printf.printf "%s|%s\n" (String.concat "," (List.map string_of_int b#history))
    (String.concat "," (List.map string_of_int c#history));
  Printf.printf "%b %b %b\n" (Oo.id a = Oo.id a) (Oo.id b = Oo.id c) (a = a)
