(** Functions of Bactrian that OCaml's library does not have.

    {v
ocamlc -g -I "$(bactrian --where)" bactrian.cma prog.ml -o prog.byte
bactrian prog.byte
    v}

    or [ocamlfind ocamlc -package bactrian -linkpkg prog.ml -o prog.byte].

    Scripts run by [bactrian script.ml] can use it directly. Programs linked with it need Bactrian:
    under [ocamlrun] (which finds the library's stubs with [-I]) its functions raise
    [Failure "this needs Bactrian"], except where stated otherwise. *)

(** Sampling of allocation, with the interface of OCaml 5.3 for programs of every version.

    While a {e profile} runs, each word that the program allocates is sampled with the same
    probability, independently of all others. Functions that the program supplies, the profile's
    {e tracker}, are called for each block with at least one sampled word: when it is allocated, when
    it survives its first minor collection, and when it is found dead. A word sampled at rate [r]
    represents [1/r] words.

    The cost of a profile depends on its rate only; at rates of [1e-4] and below it is negligible. *)
module Memprof : sig
  (** {1 Profiles} *)

  include module type of struct include Gc.Memprof end
  (** The types of what is sampled are those of [Gc.Memprof], so its trackers can be used here:

      - [allocation_source] says where a block, or memory, came from: [Normal], from the program or
        a primitive that it called; [Marshal], from reading marshalled data ([Marshal.from_*] and
        [input_value]); [Custom], memory outside the heap that belongs to a block of it, such as a
        bigarray's data. (OCaml 5.4 adds [Map_file], files in memory: none has it here.)

      - [allocation] describes a block with sampled words.
        [n_samples] is how many of them were sampled: at least 1. [n_samples / sampling_rate] is an
        unbiased estimate of how many words all blocks like this one have in total.
        [size] is in words of 8 bytes without the header, which is a word too and can be sampled; for
        [Custom], the bytes outside the heap divided by 8 and rounded up (no header).
        [source] is an [allocation_source].
        [callstack] is the calls that were active, innermost first, at most [callstack_size] of
        them. Programs and libraries compiled with [-g] have locations in it.

      - [('minor, 'major) tracker] has the functions called for sampled blocks.
        [alloc_minor : allocation -> 'minor option]: a block was allocated in the minor heap.
        [alloc_major : allocation -> 'major option]: a block was allocated in the major heap, as are
        those of more than 256 words.
        [promote : 'minor -> 'major option]: a block of the minor heap that is tracked survived a
        minor collection and is now in the major heap.
        [dealloc_minor : 'minor -> unit]: a tracked block was found dead by a minor collection.
        [dealloc_major : 'major -> unit]: a tracked block was found dead by a major collection. *)

  type t
  (** A profile, as {!start} makes it. It is {e running} until {!stop}, then {e stopped} until
      {!discard}. Several profiles may be stopped while another one runs. A profile that the program
      cannot reach any more still calls its tracker, as long as it tracks blocks. Such a value cannot
      be marshalled or compared. *)

  (** {1 Trackers}

      The functions of a tracker are called {e callbacks}. A callback that returns
      [Some v] makes the block tracked: the next callback for it receives [v]. After [None] there is
      no further callback for the block.

      - A block has at most three calls: [alloc_minor] then [dealloc_minor]; or [alloc_minor],
        [promote], [dealloc_major]; or [alloc_major] then [dealloc_major].
      - [alloc_minor] for a block that the program's own code allocates runs at the allocation, before
        the block exists. All other callbacks run at the next point where signal handlers may run
        too: a call, an iteration of a loop, an allocation, the end of some primitives, {!stop}.
        Allocation callbacks run in the order of the allocations.
      - Tracking keeps no block alive. The value [v] is kept while the block is tracked.
      - While a callback runs, nothing is sampled and no other callback of profiles made by {!start}
        runs, not even in finalisers and signal handlers that run during it.
      - An exception of a callback is raised in the program where the callback ran; there is no
        further callback for that block. If [alloc_minor] raises at the allocation, the block is not
        allocated. Other pending callbacks run later.
      - When the program ends, no [dealloc] callbacks run for the tracked blocks. After an uncaught
        exception no callback runs. *)

  val null_tracker : ('minor, 'major) tracker
  (** Does nothing and tracks nothing: to be used with [{ null_tracker with ... }]. *)

  val start : sampling_rate:float -> ?callstack_size:int -> ('minor, 'major) tracker -> t
  (** Starts a profile. It samples words with probability [sampling_rate], from the next allocation
      on; started inside a callback, from that callback's end on. With rate 0 it runs and samples
      nothing; with rate 1 it samples every word. [callstack_size] is the maximum number of frames
      recorded of a call stack (default: all of them).

      @raise Failure ["Gc.Memprof.start: already started."] if a profile that [start] made, or
        [Gc.Memprof.start], is running.
      @raise Failure ["Gc.Memprof.start: too many profiles are running."] if 16 are running (see
        {!start_another}).
      @raise Invalid_argument ["Gc.Memprof.start"] if [sampling_rate] is not in 0 to 1, or
        [callstack_size] is negative. *)

  val stop : unit -> unit
  (** Stops the profile that {!start} (or [Gc.Memprof.start]) made and that is running. First it
      runs the pending allocation callbacks; if one raises, [stop] raises the exception and the
      profile continues. Called from a callback, it drops them. After that nothing is sampled; tracked
      blocks stay tracked, with their [promote] and [dealloc] callbacks, until {!discard}. A profile of [Gc.Memprof.start] of OCaml 4 is
      discarded at once.

      @raise Failure ["Gc.Memprof.stop: no profile running."] if there is none, also if a callback
        that [stop] ran has stopped it. *)

  val discard : t -> unit
  (** Ends a stopped profile: it runs no more callbacks, and the values of its tracker are released.

      @raise Failure ["Gc.Memprof.discard: profile not stopped."] if it is running.
      @raise Failure ["Gc.Memprof.discard: profile already discarded."] *)

  val is_sampling : unit -> bool
  (** Whether a profile that {!start} or [Gc.Memprof.start] made is running. *)

  (** {1 Additional profiles} *)

  val start_another : sampling_rate:float -> ?callstack_size:int -> ('minor, 'major) tracker -> t
  (** As {!start}, for a profile that runs at the same time as the one of {!start} and as others of
      this function: for tools that observe a program. Each profile samples independently, at its own
      rate. It samples what the callbacks of other profiles allocate, not what its own callbacks do.
      {!start}, {!stop} and {!is_sampling} ignore it; {!discard} accepts it. It raises what {!start}
      raises, except ["already started."] *)

  val stop_another : t -> unit
  (** Stops this profile as {!stop} does.

      @raise Failure ["Bactrian.Memprof.stop_another: profile not running."] if it was stopped. *)
end

(** Recordings of parts of a program, phases in recordings, and counts. When nothing is recorded, and
    under [ocamlrun], [count] does nothing, and [phase] and the functions that count for parts of a
    program do nothing but call the functions that they are given. *)
module Profile : sig
  (** {1 Recording}

      [bactrian prof record] records a whole run. These functions record parts of one, into files
      that the verbs of [bactrian prof] read:

      {[
let index words =
  let table = Hashtbl.create 16 in
  List.iteri (fun i word -> Hashtbl.replace table word i) words;
  table

let () =
  let words = List.init 100_000 string_of_int in
  let table = Bactrian.Profile.record ~rate:1e-3 "index.prof" (fun () -> index words) in
  Printf.printf "%d words\n" (Hashtbl.length table)
      ]}

      After this program, [bactrian prof summary index.prof] shows what [index] allocated, and not
      what made the list. *)

  val record : ?rate:float -> ?keep:int -> string -> (unit -> 'a) -> 'a
  (** [record file f] is [f ()], recorded: {!start}, the call, {!stop}. An exception of [f] ends the
      recording and is raised again, with its backtrace. *)

  val start : ?rate:float -> ?keep:int -> string -> unit
  (** [start file] starts a recording of all threads into [file]. Each word that is allocated is
      sampled with probability [rate] (default: [1e-4]). Blocks that were allocated before are not in
      the recording. With [keep] the file stays smaller than [keep] bytes, at least a million:
      samples of dead blocks are thinned first, as by [bactrian prof record --keep], and estimates
      stay unbiased. An earlier recording in [file] is replaced, another kind of file is not. A
      child process is not recorded. A file that cannot be written any more ends the recording with
      a message on standard error.

      @raise Failure if a recording is running already, also one of [bactrian prof record], [MEMTRACE]
        or the application that embeds Bactrian.
      @raise Invalid_argument if [rate] is not above 0 and at most 1, or [keep] is below a million
        and not 0.
      @raise Sys_error if the file cannot be made, or with [keep] is no regular file, or writing
        files is refused ([--deny fs-write], or [--allow fs-write] for some folders only). *)

  val stop : unit -> unit
  (** Ends the recording that {!start} began and completes its file: everything is collected, so that
      what is live at the end is what the program can reach then. A recording that runs when
      the program ends is completed then.

      @raise Failure if the program has started none. *)

  val snapshot : ?values:bool -> string -> unit
  (** [snapshot file] writes what is reachable now to [file]: [bactrian prof heap file] then shows
      which modules, functions and blocks hold the memory. All threads wait until it is written. It
      has the shapes of blocks and what refers to what, none of their contents, except with
      [~values:true]: then also the first 32 bytes of strings, and numbers, among which may be
      passwords and what else the program must keep to itself. An earlier snapshot, or recording,
      in [file] is replaced, another kind of file is not.

      @raise Sys_error if the file cannot be written, or writing files is refused
        ([--deny fs-write], or [--allow fs-write] for some folders only). *)

  (** {1 Phases} *)

  val phase : string -> (unit -> 'a) -> 'a
  (** [phase name f] is [f ()]; allocations during the call belong to the phase [name], which the
      option [--phase name] of reports selects. Phases nest. An exception of [f] ends the phase and is raised
      again, with its backtrace. The phase allocates nothing in OCaml's heap. *)

  (** {1 Counting what the program does} *)

  val count : ?by:int -> string -> unit
  (** [count "request"] tells the recording that the program has done one more of what the name says,
      [count ~by:n] that it has done [n] more. [bactrian prof grow] then shows how much memory grows
      for each. A recording keeps the counts of 64 names. [count] without [by] allocates nothing in
      OCaml's heap. When nothing is recorded, it does nothing.

      @raise Invalid_argument if [by] is negative. *)

  (** {1 Counting for parts of a program}

      Under [bactrian --profile time] (or [alloc], [count]) every event of that kind is counted for
      the function that runs: 10 ms of CPU time, a byte allocated, an entry of a function. The
      counts go to the current {e unit} of profiling data. A program starts with one and may make
      more, for its parts. The unit that is current at the end is written to [mlmon.out] in the
      folder where the program was started; [bactrian mlprof] shows such files,
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
    (** Frees its memory.

        @raise Failure ["free of current profile data"], ["free of freed profile data"]. *)

    val write : t -> string -> unit
    (** [write d file] writes the counts to [file], and the names of the functions to
        [file ^ ".sources"]. The unit may be the current one.

        @raise Failure ["write of freed profile data"].
        @raise Sys_error if a file cannot be written. *)

    val equals : t -> t -> bool
    (** Whether both are the same unit. *)
  end

  val withData : Data.t -> (unit -> 'a) -> 'a
  (** [withData d f] is [f ()], with [d] as the current unit during the call, also if [f] raises.
      Calls nest. With [--profile-stack], functions that were active before the call do not count as
      being on the stack.

      @raise Failure ["setCurrent of freed profile data"], also if [f] freed the previous
        unit. *)
end
