(** The directives of [bactrian repl]. OCaml's toplevel loads this module at its start.

    At the prompt, and from a pipe:
    {v
#memprof on RATE;;     record each word that is allocated with probability RATE (default: 1e-3)
#memprof report;;      allocations since then, and live memory
#memprof diff;;        allocations since the last report, and changes of live memory
#memprof off;;         end the recording; report and #flame still show it
#profile PHRASE;;      run one phrase: its time, exact allocations, where they happen, what survives
#flame "FILE.html";;   the last recording as a self-contained HTML report
#flame;;               its call paths as bars, in the terminal
#leaks;;               what the last recording saw allocated and never freed
#gc;;                  the heap, what was allocated and collected
#require "P, Q";;      load packages that ocamlfind finds, and those that they need
    v}
    In files read by [#use], an argument is a string: [#memprof "on 1e-3";;],
    [#profile "PHRASE";;]. *)

(** {1 Used in the phrases that #profile generates} *)

val measure : 'a Lazy.t -> 'a
val start_measure : unit -> unit
val stop_measure : unit -> unit
