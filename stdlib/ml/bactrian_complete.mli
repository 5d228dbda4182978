(** Completion at the prompt of [bactrian repl], in the toplevel's typing environment: the contents of
    modules and types come from the output of [#show], which is captured. *)

val complete : string -> int * (string * string) list
(** [complete before] is the completions of the phrase [before] at its end: the number of its bytes
    that belong to the word, and the words: identifiers, members of modules, fields, labels,
    directives; names of files inside a string. A word comes with what it is, in a line: a value's
    type, [module], what a directive does; [""] if that is unknown. *)

val note : Parsetree.toplevel_phrase -> unit
(** Makes the definitions and [open]s of a phrase that will be executed known to completion. *)

(** {1 For bactrian_repl.ml} *)

val starts_with : prefix:string -> string -> bool

val keep_output :
  Buffer.t -> out_flush:(unit -> unit) -> Format.formatter_out_functions ->
  Format.formatter_out_functions
(** Functions that add a formatter's output to a buffer, with one blank for those of a line that
    begins or is broken. *)
