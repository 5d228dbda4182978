let table : (string, int -> int) Hashtbl.t = Hashtbl.create 5
let register name f = Hashtbl.replace table name f
