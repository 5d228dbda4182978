class a = object method m = 1 method n = "a" end
class b = object method z = 0.5 method m = 2 method n = "b" end
class c = object method k : int list = [] method n = "c" method a_first = () method m = 3 end
class d = object inherit c method! m = 4 end

let call (o : < m : int; n : string; .. >) = o#m

let () =
  let objs = [| (new a :> < m : int; n : string >); (new b :> < m : int; n : string >);
                (new c :> < m : int; n : string >); (new d :> < m : int; n : string >) |] in
  let total = ref 0 in
  for i = 0 to 9999 do
    let o = objs.((i * 7 + (i / 5)) land 3) in
    total := !total + call o + o#m + String.length o#n
  done;
  Printf.printf "%d\n" !total;
  Array.iter (fun o -> Printf.printf "%d%s " o#m o#n) objs;
  let imm = object method m = 5 method n = "imm" method p x y z w = x + y + z + w end in
  Printf.printf "%d %d %d\n" (call imm) (imm#p 1 2 3 4) (List.fold_left (fun a f -> a + f 4) 0 [
      imm#p 1 2 3 ]);
  Gc.compact ();
  Printf.printf "%d\n" (Array.fold_left (fun n o -> n + call o) 0 objs)
