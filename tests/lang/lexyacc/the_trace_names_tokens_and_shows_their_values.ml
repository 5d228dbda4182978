(* with: traced_tokens.mly *)
(* Standard error holds the steps of the parser. *)
open Traced_tokens

let parse tokens =
  let rest = ref tokens in
  let next _ = match !rest with
    | [] -> STOP
    | t :: more -> rest := more; t in
  let n = try string_of_int (all next (Lexing.from_string "")) with Parsing.Parse_error -> "no" in
  Printf.eprintf "%s\n%!" n

let () =
  let before = Parsing.set_trace true in
  Printf.printf "%b\n" before;
  parse [ INT 5; COMMA; STRING "text"; COMMA; FLOAT 1.5; COMMA; LIST [ 1 ]; COMMA; LIST []; STOP ];
  parse [ INT (-3); INT 4; STOP ];
  parse [ COMMA; COMMA; STOP ];
  parse []
