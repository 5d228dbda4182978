(** What Bactrian offers to programs beyond OCaml's own library.

    {v
ocamlc -g -I "$(bactrian --where)" bactrian.cma prog.ml -o prog.byte
bactrian prog.byte
    v}

    A script that [bactrian script.ml] runs may use it as it is. Programs that were linked with it
    need Bactrian: under [ocamlrun] (which finds the library's stubs with [-I]) every function
    raises [Failure "this needs Bactrian"] when it is called. *)

(** Sampling of allocation, with the interface of OCaml 5.3 for programs of every version.

    While a {e profile} runs, every word that the program allocates is taken as a sample with the
    same probability, independently of all others. Functions that the program supplies, the profile's
    {e tracker}, are called for each block with at least one sampled word: when it is allocated, when
    it survives its first minor collection, and when it is found dead. From few samples much can be
    told: a word counted at rate [r] stands for [1/r] words.

    What a profile costs depends on its rate alone; at rates of [1e-4] and below a program runs as
    fast as without one. *)
module Memprof : sig
  (** {1 Profiles} *)

  type t
  (** A profile, as {!start} makes it. It is {e running} until {!stop}, then {e stopped} until
      {!discard}. Several profiles may be stopped while another one runs. A profile that the program
      cannot reach any more still calls its tracker, as long as it tracks blocks. Such a value cannot
      be marshalled or compared. *)

  type allocation_source = Gc.Memprof.allocation_source =
    | Normal  (** the program, or a primitive that it called *)
    | Marshal  (** reading of marshalled data: [Marshal.from_*] and [input_value] *)
    | Custom  (** memory outside the heap that belongs to a block of it, such as a bigarray's data *)
  (** Where a block, or memory, came from. *)

  type allocation = Gc.Memprof.allocation = private {
    n_samples : int;
        (** how many of the words were sampled: at least 1. [n_samples / sampling_rate] is an
            unbiased estimate of how many words all blocks like this one have in total. *)
    size : int;
        (** words of 8 bytes without the header, which is a word too and can be sampled; for
            [Custom], the bytes outside the heap divided by 8 and rounded up (no header) *)
    source : allocation_source;
    callstack : Printexc.raw_backtrace;
        (** the calls that were active, innermost first, at most [callstack_size] of them. Programs
            and libraries compiled with [-g] have locations in it. *)
  }
  (** What is told of a block with sampled words. *)

  type ('minor, 'major) tracker = ('minor, 'major) Gc.Memprof.tracker = {
    alloc_minor : allocation -> 'minor option;
        (** A block was allocated in the minor heap. *)
    alloc_major : allocation -> 'major option;
        (** A block was allocated in the major heap, as are those of more than 256 words. *)
    promote : 'minor -> 'major option;
        (** A block of the minor heap that is tracked survived a minor collection and is now in the
            major heap. *)
    dealloc_minor : 'minor -> unit;
        (** A tracked block was found dead by a minor collection. *)
    dealloc_major : 'major -> unit;
        (** A tracked block was found dead by a major collection. *)
  }
  (** The functions called for sampled blocks, called {e callbacks}. A callback that returns
      [Some v] has the block tracked: the next callback for it is given the same [v]. With [None]
      nothing more is told of the block.

      - For each block come at most three calls: [alloc_minor] then [dealloc_minor]; or [alloc_minor],
        [promote], [dealloc_major]; or [alloc_major] then [dealloc_major].
      - [alloc_minor] for a block that the program's own code allocates runs at that place, before
        the block exists. All other callbacks run at the next place where signal handlers may run
        too: a call, a turn of a loop, an allocation, the end of some primitives, {!stop}. Allocation
        callbacks run in the order of the allocations.
      - Tracking keeps no block alive. The value [v] is kept while the block is tracked.
      - While a callback runs, nothing is sampled and no other callback of profiles made by {!start}
        runs, also not in the finalisers and signal handlers that happen to run inside it.
      - An exception that leaves a callback is raised in the program at the place where the callback
        ran; nothing more is told of that block. If it leaves [alloc_minor] at the place of the
        allocation, the block is not made. Other callbacks that are due run later.
      - When the program ends, what is tracked is not told dead. Once an uncaught exception ended it,
        no callback runs. *)

  val null_tracker : ('minor, 'major) tracker
  (** Does nothing and tracks nothing: to be used with [{ null_tracker with ... }]. *)

  val start : sampling_rate:float -> ?callstack_size:int -> ('minor, 'major) tracker -> t
  (** Starts a profile. It samples words with probability [sampling_rate], from the next allocation
      on; started inside a callback, from that callback's end on. With rate 0 it runs and samples
      nothing; with rate 1 it tells every block. [callstack_size] is the most frames that are
      recorded of a call stack (default: all of them).

      @raise Failure ["Gc.Memprof.start: already started."] if a profile that [start] made, or
        [Gc.Memprof.start], is running.
      @raise Failure ["Gc.Memprof.start: too many profiles are running."] if 16 are, which takes
        {!start_another}.
      @raise Invalid_argument ["Gc.Memprof.start"] if [sampling_rate] is not in 0 to 1, or
        [callstack_size] is negative. *)

  val stop : unit -> unit
  (** Stops the profile that {!start} (or [Gc.Memprof.start]) made and that is running. First the
      allocation callbacks that are due run; if one of them raises, the exception leaves [stop], and
      the profile runs on. Called inside a callback, it runs no other and drops those that are due.
      After that nothing is sampled any more; what is tracked stays tracked, and [promote] and
      [dealloc] callbacks come until {!discard}. A profile of [Gc.Memprof.start] of OCaml 4 is
      discarded at once.

      @raise Failure ["Gc.Memprof.stop: no profile running."] if there is none, also if a callback
        that [stop] ran has stopped it. *)

  val discard : t -> unit
  (** Ends a stopped profile: it calls nothing any more, and what it kept is released.

      @raise Failure ["Gc.Memprof.discard: profile not stopped."] if it is running.
      @raise Failure ["Gc.Memprof.discard: profile already discarded."] *)

  val is_sampling : unit -> bool
  (** Whether a profile that {!start} or [Gc.Memprof.start] made is running. *)

  (** {1 Beside the program's profile} *)

  val start_another : sampling_rate:float -> ?callstack_size:int -> ('minor, 'major) tracker -> t
  (** As {!start}, but for a profile beside the one of {!start}, and beside others that this function
      made: tools that watch a program use it. Each profile samples by itself, at its own rate. It
      sees what the callbacks of other profiles allocate, as they see what its own do; while its own
      run, it samples nothing. {!start}, {!stop} and {!is_sampling} know nothing of it; {!discard}
      works for it. Together with others it may raise what {!start} raises, but for
      ["already started."] *)

  val stop_another : t -> unit
  (** Stops this profile as {!stop} does.

      @raise Failure ["Bactrian.Memprof.stop_another: profile not running."] if it was stopped. *)
end

(** What a program tells of itself to a recording of [bactrian prof record]. Without one, and under
    [ocamlrun], nothing is recorded and nothing fails. *)
module Profile : sig
  val phase : string -> (unit -> 'a) -> 'a
  (** [phase name f] is [f ()]; what happens meanwhile belongs to the phase [name], in every report
      that is given [--phase name]. Phases nest. An exception of [f] ends the phase and is raised
      again, with its backtrace. *)

  (** {1 Counting for parts of a program}

      Under [bactrian --profile time] (or [alloc], [count]) every event of that kind is counted for
      the function that runs: 10 ms of CPU time, a byte allocated, an entry of a function. The
      counts go to the {e unit} of profiling data that is current. A program starts with one, and
      may make more: for each of its parts, say. What is current at the end is written to
      [mlmon.out] in the folder where the program was started; [bactrian mlprof] shows such files,
      one or the sum of several. Names and meanings are those of MLton's structure
      [MLton.Profile]. *)

  val isOn : bool
  (** Whether the program runs under [--profile]. If not, the functions below count and write
      nothing: [malloc] makes a value, [free] and [write] do nothing, and [withData d f] is [f ()]. *)

  module Data : sig
    type t
    (** A unit of profiling data: a count for each function. Its memory is outside the heap, and
        stays until {!free}. *)

    val malloc : unit -> t
    (** A new unit, without counts. *)

    val free : t -> unit
    (** Gives its memory back.

        @raise Failure ["free of current profile data"], ["free of freed profile data"]. *)

    val write : t -> string -> unit
    (** [write d file] writes what was counted so far to [file], and the names of the functions to
        [file ^ ".sources"]. The unit may be the current one.

        @raise Failure ["write of freed profile data"].
        @raise Sys_error if that can't be written. *)

    val equals : t -> t -> bool
    (** Whether both are the same unit. *)
  end

  val withData : Data.t -> (unit -> 'a) -> 'a
  (** [withData d f] is [f ()]; meanwhile [d] is the current unit. Then, also if [f] raises, the one
      before is current again. They nest. With [--profile-stack], functions that were running
      before do not count as being on the stack.

      @raise Failure ["setCurrent of freed profile data"], also if the unit before was freed by
        [f]. *)
end
