type t = A | B | C
let f = function A -> 1 | B -> 2 [@@warning "-8"]
let () = print_int (f (if Array.length Sys.argv = 1 then C else A))
