let longident = function
  | [] -> invalid_arg "longident"
  | first :: rest ->
    List.fold_left (fun path name -> Longident.Ldot (path, name)) (Longident.Lident first) rest

let rec parts = function
  | Longident.Lident name -> [ name ]
  | Longident.Ldot (path, name) -> (match parts path with [] -> [] | parts -> parts @ [ name ])
  | Longident.Lapply _ -> []

let components = function Parsetree.Ppat_tuple l -> l | _ -> []
