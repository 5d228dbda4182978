#use "topfind";;
#require "yojson";;

(* Yojson, and a message in JSON. *)
let text = {|{"name": "ring", "sizes": [3, 1, 2], "nested": {"deep": [true, null, 1.5]}}|}
let json = Yojson.Basic.from_string text
open Yojson.Basic.Util
let sizes = json |> member "sizes" |> to_list |> List.map to_int |> List.sort compare;;
print_endline (Yojson.Basic.to_string (`Assoc ["sorted", `List (List.map (fun n -> `Int n) sizes)]));;
print_endline (Yojson.Basic.pretty_to_string (json |> member "nested"));;
