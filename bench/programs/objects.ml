(* Objects: classes, inheritance, late binding, method calls by structural type. *)
class virtual shape name =
  object (self)
    val mutable scale = 1
    method name : string = name
    method virtual area : int
    method grow k = scale <- (scale * k mod 97) + 1
    method describe = self#name ^ ":" ^ string_of_int self#area
  end

class square side =
  object
    inherit shape "square"
    method area = side * side * scale
  end

class rect w h =
  object (self)
    inherit shape "rect" as super
    method area = w * h * scale
    method! describe = super#describe ^ (if self#area > 1000 then "!" else "")
  end

class counter =
  object
    val mutable n = 0
    method bump k = n <- n + k
    method value = n
    method copy = {<n = n / 2>}
  end

let total shapes = List.fold_left (fun sum s -> sum + s#area) 0 shapes

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let shapes : shape list =
    List.concat (List.init 10 (fun i -> [ (new square i :> shape); (new rect i (i + 3) :> shape) ]))
  in
  let count = ref (new counter) in
  let letters = ref 0 in
  for i = 1 to rounds do
    List.iter (fun s -> s#grow (1 + (i land 3))) shapes;
    !count#bump (total shapes land 255);
    if i land 63 = 0 then begin
      count := !count#copy;
      List.iter (fun s -> letters := !letters + String.length s#describe) shapes
    end;
    let local = object method twice x = x + x end in
    !count#bump (local#twice i land 7)
  done;
  Printf.printf "%d %d %d\n" !count#value !letters (total shapes)
