(* interface NAME.cmi: replaces the types of the values in a .cmi file by what no compiler writes:
   types, paths, lists and modules that contain themselves, or are very deep. *)
let block tag fields =
  let b = Obj.new_block tag (List.length fields) in
  List.iteri (Obj.set_field b) fields;
  b

let zero = Obj.repr 0
let type_of described = block 0 [described; zero; zero; zero]
let constructed path arguments = type_of (block 3 [path; arguments; zero])
let tuple types = type_of (block 2 [Obj.repr types])

let cyclic make at =
  let b = make zero in
  Obj.set_field b at b;
  b

let rec deep n inner = if n = 0 then inner else deep (n - 1) (tuple [inner])
let predefined name = block 0 [block 3 [Obj.repr name; Obj.repr 1]]
let rec lists n inner =
  if n = 0 then inner else lists (n - 1) (constructed (predefined "list") (Obj.repr [inner]))

let wide n = tuple (List.init n (fun i -> lists (i mod 30) (tuple [])))
let link = type_of (block 6 [zero])
let () = Obj.set_field (Obj.field link 0) 0 link
let itself = tuple []
let () = Obj.set_field (Obj.field itself 0) 0 (Obj.repr [itself; itself])
let rec endless = zero :: endless

(* Rows that are their own rest, labels whose states lead in a circle. *)
let row labels = type_of (block 8 [block 0 [labels; zero; zero; zero; zero; zero]])
let label name state = Obj.repr [block 0 [Obj.repr name; state]]
let present argument = block 0 [block 0 [argument]]
let endless_row = row (label "B" (present link))
let () = Obj.set_field (Obj.field (Obj.field endless_row 0) 0) 1 endless_row
let endless_state = block 1 [zero; zero; zero; block 0 [zero]]
let () = Obj.set_field (Obj.field endless_state 3) 0 endless_state

let types =
  [| link; itself; deep 100_000 zero; wide 5_000; type_of (block 2 [Obj.repr endless]); zero;
     constructed (cyclic (fun x -> block 1 [x; Obj.repr "t"]) 0) zero;
     constructed (cyclic (fun x -> block 2 [x; x]) 0) zero;
     constructed (block 0 [block 0 [Obj.repr "t"]]) (Obj.repr endless);
     constructed (block 1 [block 0 [block 2 [Obj.repr "../../etc"]]; Obj.repr "t"]) zero;
     Obj.repr "a string"; Obj.repr 1.5; block 0 []; lists 40 link;
     row (label "A" (present itself)); endless_row; row (label "A" endless_state); row (Obj.repr endless) |]

(* A declaration that is its own manifest, and has constructors without end. *)
let declare declaration =
  let constructor = block 0 [block 0 [Obj.repr "C"; zero]; block 0 [Obj.repr endless]; zero; zero; zero; zero] in
  let rec constructors = constructor :: constructors in
  Obj.set_field declaration 2 (block 1 [Obj.repr constructors; zero]);
  Obj.set_field declaration 4 (block 0 [link])

(* An exception, whose arguments are labels, types without end, or nothing of both. *)
let extend i extension =
  Obj.set_field extension 0 (cyclic (fun x -> block 1 [x; Obj.repr "t"]) 0);
  let label = block 0 [block 0 [Obj.repr "l"; zero]; zero; link; zero; zero; zero] in
  let rec labels = label :: labels in
  let arguments =
    [| block 0 [Obj.repr endless]; block 1 [Obj.repr labels]; block 1 [link]; block 0 []; zero;
       Obj.repr "a string" |] in
  Obj.set_field extension 2 arguments.(i mod Array.length arguments)

let replace i item =
  match Obj.tag item with
  | 0 -> Obj.set_field (Obj.field item 1) 0 types.(i mod Array.length types)
  | 1 -> declare (Obj.field item 1)
  | 2 -> extend i (Obj.field item 1)
  | 3 when i mod 2 = 0 ->
      let alias = block 3 [block 0 [Obj.field item 0]] in
      Obj.set_field (Obj.field item 2) 0 alias
  | 3 ->
      (* A functor that is its own parameter, and is applied to itself in its result. *)
      let itself = block 0 [Obj.field item 0] in
      let parameter = block 0 [block 0 [Obj.field item 0]; zero] in
      let result = block 3 [block 2 [itself; block 2 [itself; itself]]] in
      Obj.set_field (Obj.field item 2) 0 (block 2 [parameter; result])
  | _ -> ()

let () =
  let file = open_in_bin Sys.argv.(1) in
  let magic = really_input_string file 12 in
  let (name, signature) : string * Obj.t list = Marshal.from_channel file in
  close_in file;
  List.iteri replace signature;
  let file = open_out_bin Sys.argv.(1) in
  output_string file magic;
  Marshal.to_channel file (name, signature) [];
  close_out file
