(** What differs between versions of the compiler's syntax tree. [bactrian_syntax_5_4.ml] is this
    module for OCaml 5.4, which has labels in tuples and locations in long identifiers. *)

val longident : string list -> Longident.t
(** [longident ["M"; "x"]] is [M.x]. Raises [Invalid_argument] if there is no name. *)

val parts : Longident.t -> string list
(** The names of a long identifier; none if it has an application. *)

val components : Parsetree.pattern_desc -> Parsetree.pattern list
(** Of a pattern for tuples; none if it is another pattern. *)
