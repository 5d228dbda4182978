(** Completion at the prompt of [bactrian repl], in the toplevel's typing environment: the contents of
    modules and types come from the output of [#show], which is captured. *)

val complete : string -> int * string list
(** [complete before] is the completions of the line [before] at its end: the number of its bytes that
    belong to the word, and the words: identifiers, members of modules, fields, labels, directives;
    names of files inside a string. *)

val note : Parsetree.toplevel_phrase -> unit
(** Makes the definitions and [open]s of a phrase that will be executed known to completion. *)
