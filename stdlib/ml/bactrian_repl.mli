(** What [bactrian repl] adds to OCaml's toplevel, which loads this module at its start.

    At the prompt, and from a pipe:
    {v
#memprof on RATE;;     record each word that is allocated with probability RATE (default: 1e-3)
#memprof report;;      what was allocated since then, and what lives
#memprof diff;;        what was allocated since the last report, and how what lives has changed
#memprof off;;         end the recording; report and #flame still speak of it
#profile PHRASE;;      run one phrase: its time, the exact words it allocates, where, what survives
#flame "FILE.html";;   the last recording as a page for a browser
#flame;;               its call paths as bars, in the terminal
    v}
    In files that [#use] reads, an argument is a string: [#memprof "on 1e-3";;],
    [#profile "PHRASE";;]. *)

(** {1 For the phrases that #profile makes} *)

val measure : (unit -> 'a) -> 'a
val start_measure : unit -> unit
val stop_measure : unit -> unit
