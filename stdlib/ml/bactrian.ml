module Memprof = struct
  include Gc.Memprof

  type t

  external c_start : float -> int -> ('minor, 'major) tracker -> t = "bactrian_memprof_start"
  external c_start_another : float -> int -> ('minor, 'major) tracker -> t
    = "bactrian_memprof_start_another"
  external stop : unit -> unit = "bactrian_memprof_stop"
  external stop_another : t -> unit = "bactrian_memprof_stop_another"
  external discard : t -> unit = "bactrian_memprof_discard"
  external is_sampling : unit -> bool = "bactrian_memprof_is_sampling"

  let start ~sampling_rate ?(callstack_size = max_int) tracker =
    c_start sampling_rate callstack_size tracker

  let start_another ~sampling_rate ?(callstack_size = max_int) tracker =
    c_start_another sampling_rate callstack_size tracker
end

module Profile = struct
  (* f (), with leave () after it, also if it raises. *)
  let and_then leave f =
    match f () with
    | result -> leave (); result
    | exception e ->
      let backtrace = Printexc.get_raw_backtrace () in
      leave ();
      Printexc.raise_with_backtrace e backtrace

  external c_start : float -> int -> string -> unit = "bactrian_profile_start"
  external stop : unit -> unit = "bactrian_profile_stop"

  let start ?(rate = 1e-4) ?(keep = 0) file = c_start rate keep file

  let record ?rate ?keep file f =
    start ?rate ?keep file;
    and_then stop f

  external snapshot_shapes : string -> unit = "bactrian_profile_snapshot"
  external snapshot_values : string -> unit = "bactrian_profile_snapshot_values"

  let snapshot ?(values = false) file =
    if values then snapshot_values file else snapshot_shapes file

  external enter_phase : string -> unit = "bactrian_profile_enter_phase"
  external leave_phase : unit -> unit = "bactrian_profile_leave_phase"

  let phase name f =
    enter_phase name;
    and_then leave_phase f

  external c_count : int -> string -> unit = "bactrian_profile_count"

  let count ?(by = 1) name = c_count by name

  external is_on : unit -> bool = "bactrian_units_is_on"

  let isOn = is_on ()

  module Data = struct
    external c_malloc : unit -> int = "bactrian_units_malloc"
    external c_free : int -> unit = "bactrian_units_free"
    external c_write : int -> string -> unit = "bactrian_units_write"

    (* equals compares blocks, one for each unit; number is 0 when nothing is counted. *)
    type t = { mutable number : int }

    let malloc () = { number = c_malloc () }
    let free d = c_free d.number
    (* Does nothing without counts, so needs no capability to write files. *)
    let write d file = if d.number <> 0 then c_write d.number file
    let equals (a : t) (b : t) = a == b
  end

  external enter_unit : int -> int = "bactrian_units_enter"
  external leave_unit : int -> unit = "bactrian_units_leave"

  (* Not by and_then, which would be a function of the unit and allocate for it. *)
  let withData d f =
    let aside = enter_unit d.Data.number in
    match f () with
    | result -> leave_unit aside; result
    | exception e ->
      let backtrace = Printexc.get_raw_backtrace () in
      leave_unit aside;
      Printexc.raise_with_backtrace e backtrace
end
