let attempt name f = match f () with
  | b -> Printf.printf "%s %b\n" name b
  | exception Invalid_argument m -> Printf.printf "%s %s\n" name m

class c = object method m = 1 end

let () =
  let f x = x + 1 and g x = x + 2 in
  attempt "f = f" (fun () -> f = f);
  attempt "f == f" (fun () -> f == f);
  attempt "compare f f" (fun () -> compare f f = 0);
  attempt "f = g" (fun () -> f = g);
  attempt "f <> g" (fun () -> f <> g);
  attempt "f < g" (fun () -> f < g);
  attempt "(1,f) = (2,g)" (fun () -> (1, f) = (2, g));
  attempt "(1,f) = (1,g)" (fun () -> (1, f) = (1, g));
  attempt "shared list" (fun () -> let l = [ f ] in compare l l = 0);
  let o = new c and p = new c in
  attempt "o = o" (fun () -> o = o);
  attempt "o = p" (fun () -> o = p);
  attempt "o < p" (fun () -> o < p);
  attempt "compare o p" (fun () -> compare o p < 0);
  attempt "stdin = stdin" (fun () -> stdin = stdin);
  attempt "stdout <> stderr" (fun () -> stdout <> stderr);
  attempt "lazy" (fun () -> Lazy.from_val 1 = Lazy.from_val 1);
  attempt "forward" (fun () -> let l = lazy (1 + 1) in ignore (Lazy.force l); l = Lazy.from_val 2);
  attempt "weak" (fun () -> let w = Weak.create 1 in w = w);
  attempt "mixed custom" (fun () -> compare (Obj.repr 1l) (Obj.repr 1L) = 0);
  attempt "custom and int" (fun () -> compare (Obj.repr 1l) (Obj.repr 1) > 0)
