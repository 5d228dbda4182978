module M = struct
  let effects = ref []
  module type S = sig val name : string end
  module F (X : S) = struct
    let () = effects := X.name :: !effects
    let label = "F(" ^ X.name ^ ")"
    module Inner = struct let twice = label ^ label end
  end
end

module A = struct let name = "A" end
module FA = M.F (A)
module FA2 = M.F (A)
module FF = M.F (struct let name = FA.label end)
module Alias = FF.Inner
include M
include struct let hidden = 1 let shown = 2 end
open (struct let local = 40 end)

module Gen () = struct type t = int let r = ref 0 let next () = incr r; !r end
module G1 = Gen ()
module G2 = Gen ()

let () =
  print_endline (String.concat " " (List.rev !effects));
  print_endline Alias.twice;
  ignore (G1.next ());
  Printf.printf "%d %d %d\n" (G1.next ()) (G2.next ()) (local + shown)
