class virtual shape name = object (self)
  method virtual area : float
  method virtual private scale_by : float -> unit
  val mutable virtual log : string list
  method name : string = name
  method scale f = self#scale_by f; log <- Printf.sprintf "%s*%g" name f :: log
  method log = log
  initializer Printf.printf "shape %s made\n" name
end

class circle r = object (self)
  inherit shape "circle"
  val mutable log = [ "born" ]
  val mutable r = r
  method area = 3.0 *. r *. r
  method private scale_by f = r <- r *. f
  initializer Printf.printf "circle of area %g\n" self#area
end

class square s = object
  inherit shape "square"
  val mutable log = []
  val mutable s = s
  method area = s *. s
  method private scale_by f = s <- s *. f
  initializer print_endline "square made"
end

let () =
  let shapes = [ (new circle 1.0 :> shape); (new square 2.0 :> shape) ] in
  List.iter (fun s -> s#scale 2.0;
      Printf.printf "%s %g %s\n" s#name s#area (String.concat "," s#log)) shapes
