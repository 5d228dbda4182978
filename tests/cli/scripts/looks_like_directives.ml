(* Directives that are none: in a comment, #load "nothing.cma";; or "in a string (* #quit";; *)
class counter = object val mutable n = 0 method next = n <- n + 1; n end
let c = new counter
let () = Printf.printf "%d %d\n" c#next c
  #next
let text = {x|;; #load "nothing.cma" |x} and quote = '"' and hash = '#'
let () = print_string ";;\n#quit;;\n"; print_string text; print_char quote; print_char hash; print_newline ()
type 'a t = A of 'a;;
# 100 "elsewhere.ml"
print_endline __LOC__;;
