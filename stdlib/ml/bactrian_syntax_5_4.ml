let nowhere = { Location.loc_start = Lexing.dummy_pos; loc_end = Lexing.dummy_pos; loc_ghost = true }
let located txt = { Location.txt; loc = nowhere }

let longident = function
  | [] -> invalid_arg "longident"
  | first :: rest ->
    List.fold_left (fun path name -> Longident.Ldot (located path, located name))
      (Longident.Lident first) rest

let rec parts = function
  | Longident.Lident name -> [ name ]
  | Longident.Ldot (path, name) ->
    (match parts path.txt with [] -> [] | parts -> parts @ [ name.txt ])
  | Longident.Lapply _ -> []

let components = function Parsetree.Ppat_tuple (l, _) -> List.map snd l | _ -> []
