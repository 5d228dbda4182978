(* Many classes: a simulated queueing network whose stations, customers and clocks are objects of
   some twenty classes, with inheritance, late binding, and functional updates. *)
class random seed =
  object
    val mutable state = seed
    method next bound =
      state <- ((state * 1103515245) + 12345) land 0x3fffffff;
      state lsr 8 mod bound
  end

class virtual customer id =
  object (self)
    val mutable patience = 10
    val mutable visits = 0
    method id : int = id
    method virtual kind : string
    method virtual cost : int -> int
    method visits = visits
    method visit = visits <- visits + 1
    method wait ticks = patience <- patience - (ticks / self#calm)
    method calm = 4
    method gives_up = patience < 0
    method before other_visits other_id = visits < other_visits || (visits = other_visits && id < other_id)
  end

class walker id =
  object
    inherit customer id
    method kind = "walker"
    method cost base = base
  end

class cyclist id =
  object
    inherit walker id as super
    method! kind = "cyclist"
    method! cost base = (super#cost base * 2 / 3) + 1
  end

class courier id =
  object
    inherit cyclist id
    method! kind = "courier"
    method! calm = 1
  end

class tourist id luggage =
  object
    inherit walker id as super
    val luggage = luggage
    method! kind = "tourist"
    method! cost base = super#cost base + (3 * luggage)
    method! calm = 16
    method unpacked = {<luggage = max 0 (luggage - 1)>}
  end

class group id size =
  object (self)
    inherit customer id
    val members = List.init size (fun i -> (new walker ((100 * id) + i) :> customer))
    method kind = "group"
    method cost base = List.fold_left (fun sum m -> sum + m#cost base) 0 members / self#size
    method size = List.length members
    method! visit =
      visits <- visits + 1;
      List.iter (fun m -> m#visit) members
  end

class virtual ['a] container =
  object (self)
    method virtual add : 'a -> unit
    method virtual take : 'a option
    method virtual size : int
    method is_empty = self#size = 0
  end

class ['a] fifo =
  object
    inherit ['a] container
    val content : 'a Queue.t = Queue.create ()
    method add x = Queue.add x content
    method take = Queue.take_opt content
    method size = Queue.length content
  end

class ['a] lifo =
  object
    inherit ['a] container
    val mutable content : 'a list = []
    val mutable n = 0
    method add x =
      content <- x :: content;
      n <- n + 1
    method take =
      match content with
      | [] -> None
      | x :: rest ->
          content <- rest;
          n <- n - 1;
          Some x
    method size = n
  end

class priority =
  object
    inherit [customer] container
    val mutable content : customer list = []
    method add c =
      let rec insert = function x :: rest when x#before c#visits c#id -> x :: insert rest | rest -> c :: rest in
      content <- insert content
    method take =
      match content with
      | [] -> None
      | x :: rest ->
          content <- rest;
          Some x
    method size = List.length content
  end

class virtual station (name : string) (queue : customer container) =
  object (self)
    val mutable busy = 0
    val mutable served = 0
    val mutable lost = 0
    method name = name
    method virtual duration : customer -> int
    method accept c = if queue#size < self#capacity then queue#add c else lost <- lost + 1
    method capacity = 12
    method tick (leave : customer -> unit) =
      if busy > 0 then busy <- busy - 1
      else
        match queue#take with
        | None -> ()
        | Some c when c#gives_up -> lost <- lost + 1
        | Some c ->
            c#visit;
            busy <- self#duration c;
            served <- served + 1;
            leave c
    method report = Printf.sprintf "%s %d served %d lost %d waiting" name served lost queue#size
  end

class desk name =
  object
    inherit station name (new fifo :> customer container)
    method duration c = c#cost 3
  end

class slow_desk name =
  object
    inherit desk name as super
    method! duration c = 2 * super#duration c
    method! capacity = 4
  end

class lift name =
  object
    inherit station name (new lifo :> customer container)
    method duration c = 1 + (c#cost 2 / 2)
  end

class gate name =
  object (self)
    inherit station name (new priority :> customer container)
    val mutable checks = 0
    method duration c =
      checks <- checks + c#cost 1;
      self#pace
    method private pace = 1 + (checks land 1)
    method! report = Printf.sprintf "%s: %d checked" name checks
  end

let new_customer (random : random) id : customer =
  match random#next 6 with
  | 0 | 1 -> new walker id
  | 2 -> new cyclist id
  | 3 -> new courier id
  | 4 -> ((new tourist id (random#next 5))#unpacked :> customer)
  | _ -> (new group id (1 + random#next 3) :> customer)

let () =
  let ticks = int_of_string Sys.argv.(1) in
  let random = new random 42 in
  let stations : station array =
    [| new desk "north"; new slow_desk "south"; (new lift "lift" :> station); (new gate "gate" :> station); new desk "east" |]
  in
  let kinds = Hashtbl.create 10 in
  let total = ref 0 in
  for tick = 1 to ticks do
    if random#next 3 > 0 then begin
      let c = new_customer random tick in
      Hashtbl.replace kinds c#kind (1 + Option.value (Hashtbl.find_opt kinds c#kind) ~default:0);
      stations.(random#next 5)#accept c
    end;
    Array.iter
      (fun s ->
        s#tick (fun c ->
            total := (!total + (c#cost 5 * c#visits)) land 0xffffff;
            c#wait (random#next 40);
            if c#visits < 4 then stations.(random#next 5)#accept c))
      stations
  done;
  Array.iter (fun s -> print_endline s#report) stations;
  List.iter
    (fun (kind, n) -> Printf.printf "%s %d\n" kind n)
    (List.sort compare (Hashtbl.fold (fun kind n list -> (kind, n) :: list) kinds []));
  Printf.printf "%d\n" !total
