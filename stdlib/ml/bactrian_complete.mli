(** Completion at the prompt of [bactrian repl]. The typing environment is the toplevel's own: what a
    module or a type has in it is asked of the [#show] directives, whose answers are caught before
    they are printed. *)

val complete : string -> int * string list
(** [complete before] completes the line [before] at its end: how many bytes of it are typed of each
    word, and the words. Identifiers, members of modules, fields, labels, directives; names of files
    within a string. *)

val note : Parsetree.toplevel_phrase -> unit
(** A phrase is about to be executed: what it defines and opens may be completed from then on. *)
