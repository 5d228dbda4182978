(** Calling C functions from OCaml, without C code.

    {v
let cos = Ffi.(foreign ~lib:"libm.so.6" "cos" (double @-> returning double))
let () = Printf.printf "%.3f\n" (cos 0.)
    v}

    A script that [bactrian script.ml] runs may use it as it is; other programs are compiled with
    [ocamlc -I "$(bactrian --where)" bactrian.cma]. Under [ocamlrun] every function that reaches C
    raises [Failure "this needs Bactrian"].

    {b Errors.} What can be known to be wrong is an exception, before C code runs:
    [Invalid_argument] for a wrong use (a value that the C type cannot hold, a null pointer, memory
    that was freed, an access beyond a block's end, a closed library, a field of another structure),
    [Failure] for what the world lacks (no such library or symbol) and for a number from C that
    [int] cannot hold. What cannot be known is whether a C function has the type that it was given:
    a wrong one may end the process. [bactrian --audit] shows this module as capability [dynlink].

    Sizes, lengths and offsets are in bytes, unless it says "elements". Functions that are not said
    to raise, don't, but for [Out_of_memory]. *)

(** {1 Types of C values} *)

(** A C type whose values are of type ['a] in OCaml. *)
type 'a typ

(** A pointer to values of type ['a]. It knows the block of memory that it points into, if that
    block came from this module, and keeps it alive. *)
type 'a ptr

(** A C structure or union, as a place in memory: reading one from a field or an array copies
    nothing. ['s] is a type of the program's that tells structures apart. *)
type 's structure

(** An array in C memory, with its length. *)
type 'a carray

(** A C function pointer; the function is of type ['f] in OCaml. *)
type 'f funptr

(** No value: the result of a C function without result. As the only argument it makes the OCaml
    function take [()] and the C function nothing. *)
val void : unit typ

(** {2 Numbers}

    Those that are an [int] here are tested: a number that the C type cannot hold raises
    [Invalid_argument]; a number of 64 bits from C that [int] cannot hold raises [Failure]. *)

val bool : bool typ
val char : char typ
val int8_t : int typ
val uint8_t : int typ
val int16_t : int typ
val uint16_t : int typ
val short : int typ
val ushort : int typ
val int : int typ
val uint : int typ
val uint32_t : int typ
val long : int typ
val ulong : int typ
val size_t : int typ
val ssize_t : int typ
val int32_t : int32 typ
val int64_t : int64 typ

(** All 64 bits, those from [2^63] on as negative numbers. *)
val uint64_t : int64 typ

val llong : int64 typ
val ullong : int64 typ
val intptr_t : nativeint typ

(** Rounded to single precision on its way to C. *)
val float : float typ

val double : float typ

(** Converted from and to double precision: the additional bits are lost. *)
val long_double : float typ

val complex_float : Complex.t typ
val complex_double : Complex.t typ

(** {2 Strings} *)

(** [const char *]. As an argument: the bytes of the string and a zero byte, valid until the C
    function returns; C sees all bytes, zeros inside included, and must not write. As a result, an
    argument of a callback, or read from memory: a copy up to the first zero byte; a null pointer
    raises [Invalid_argument]. It cannot be stored in C memory: see {!of_string}. *)
val string : string typ

(** The same, a null pointer being [None]. *)
val string_opt : string option typ

(** [char *], only as an argument: C may read and write the bytes, until it returns. *)
val bytes : bytes typ

(** {2 Pointers, structures, unions, arrays} *)

val ptr : 'a typ -> 'a ptr typ

(** An array of so many elements: a field, or what a pointer points at. C passes no arrays by value.
    Raises [Invalid_argument] for a negative length. *)
val array : int -> 'a typ -> 'a carray typ

(** A field of type ['a] in structures ['s]. *)
type ('s, 'a) field

(** A new structure type without fields, named as in C; {!field} adds them, {!seal} ends it. Before
    that only {!ptr} may be applied to it.

    {v
type div
let div_t : div Ffi.structure Ffi.typ = Ffi.structure "div_t"
let quot = Ffi.(field div_t "quot" int)
let rem = Ffi.(field div_t "rem" int)
let () = Ffi.seal div_t
    v} *)
val structure : string -> 's structure typ

(** A union: a structure all of whose fields lie at offset 0. It is as large and as aligned as its
    largest and most aligned fields. Where it is passed by value, 8 bytes that hold an integer or a
    pointer in any field travel as integer, others as floating point, as C's rules for x86-64 have
    it. *)
val union : string -> 's structure typ

(** Adds a field behind those there are, aligned as C does it. Raises [Invalid_argument] if the
    structure is sealed or the field's type has no size. *)
val field : 's structure typ -> string -> 'a typ -> ('s, 'a) field

(** Ends the list of fields. Raises [Invalid_argument] if there is none, or if it was ended. *)
val seal : 's structure typ -> unit

(** Both raise [Invalid_argument] for types without size: [void], closures, structures that are not
    sealed. *)
val sizeof : 'a typ -> int

val alignof : 'a typ -> int

(** Where a field begins. *)
val offsetof : ('s, 'a) field -> int

(** {1 Functions} *)

(** A C function's type. ['f] is the OCaml function's. At most 64 arguments. *)
type 'f fn

val ( @-> ) : 'a typ -> 'b fn -> ('a -> 'b) fn
val returning : 'a typ -> 'a fn

(** A library of C code. *)
type library

(** [open_library "libz.so.1"] opens a library; a name without [/] is looked for where the system
    keeps them; [""] is what is already loaded. [global] makes its symbols known to libraries opened
    later. Raises [Failure] if that is not possible. *)
val open_library : ?global:bool -> string -> library

(** Closes it: functions found through it raise [Invalid_argument] from now on. Pointers to its data
    and function pointers that C code handed out are not known and must not be used any more. *)
val close_library : library -> unit

(** [foreign ~lib name fn] is the C function of that name. [lib] names a library, which stays open;
    [from] is one of {!open_library}; with neither, what is already loaded is looked through (the
    C library, among others). [fixed] is for variadic functions: how many arguments the C
    declaration names before its dots:

    {v let printf = foreign ~fixed:1 "printf" (string @-> int @-> double @-> returning int) v}

    [blocking] lets other threads run OCaml code during the call: for functions that may wait. C then
    must not use [bytes] that another thread changes.

    While the function runs, exceptions of callbacks wait: see {!callback}. Raises [Failure] if there
    is no such library or symbol, [Invalid_argument] for a type that no C function has. *)
val foreign :
  ?lib:string -> ?from:library -> ?fixed:int -> ?blocking:bool -> string -> 'f fn -> 'f

(** A variable of C code, as a pointer to it. Raises as {!foreign}. *)
val foreign_value : ?lib:string -> ?from:library -> string -> 'a typ -> 'a ptr

(** The C library's [errno] as the last foreign call of this thread left it; each call starts with 0,
    so that another number comes from that call. *)
val errno : unit -> int

(** The system's text for such a number. *)
val error_message : int -> string

(** {1 Callbacks} *)

(** Function pointers as arguments, results and fields. *)
val funptr : 'f fn -> 'f funptr typ

(** An argument that takes an OCaml function: C gets a function pointer that is valid until the
    foreign function returns.

    {v
let compare_t = Ffi.(ptr int @-> ptr int @-> returning int)
let qsort = Ffi.(foreign "qsort" (ptr int @-> size_t @-> size_t @-> closure compare_t
                                  @-> returning void))
    v} *)
val closure : 'f fn -> 'f typ

(** [callback fn f] is a function pointer that calls [f]. It is valid as long as the result is
    reachable from OCaml, or until {!free_callback}: keep it while C code may use it. Structures that
    C passes by value are copies.

    {b Threads.} C code may call it from threads of its own: [f] runs there when no other thread of
    the program runs OCaml code. So a foreign function that waits for such a thread must be
    [~blocking:true]. These threads must not call it when the program ends.

    {b Exceptions.} An exception never crosses C code. If [f] raises, or returns what the C type
    cannot hold, C gets zero as result; other callbacks of the same foreign call return zero without
    being run; and when that foreign call returns, it raises the exception. C code that calls what
    was freed meets [Invalid_argument] in the same way. In a thread of C's there is no such call: a
    line on standard error tells of the exception. And where a stub in the sense of OCaml's manual
    calls the callback, the exception leaves that stub as it would leave [caml_callback]. (The code of
    a freed callback is used again after 1,024 others were freed.) *)
val callback : 'f fn -> 'f -> 'f funptr

(** Ends its life before the collector does. Raises [Invalid_argument] if it was freed, or comes from
    C. *)
val free_callback : 'f funptr -> unit

(** The OCaml function that calls a function pointer; [name] is for messages, [blocking] as for
    {!foreign}. Calling a null pointer raises [Invalid_argument]. *)
val call : ?name:string -> ?blocking:bool -> 'f funptr -> 'f

val null_funptr : 'f fn -> 'f funptr
val is_null_funptr : 'f funptr -> bool

(** {1 Pointers} *)

val null : 'a typ -> 'a ptr
val is_null : 'a ptr -> bool
val address : 'a ptr -> nativeint

(** A pointer to memory that nothing is known of. Raises [Invalid_argument] for a number that no
    address on this machine is. *)
val of_address : 'a typ -> nativeint -> 'a ptr

(** The same address, as a pointer to another type. *)
val cast : 'b typ -> 'a ptr -> 'b ptr

(** Reads. Raises [Invalid_argument] if the pointer is null (below 4,096), its block was freed, or
    the value would not lie inside its block; so do all functions that read or write. *)
val ( !@ ) : 'a ptr -> 'a

(** Writes. *)
val ( <-@ ) : 'a ptr -> 'a -> unit

(** So many elements further (or back). Only access is tested. *)
val ( +@ ) : 'a ptr -> int -> 'a ptr

(** [distance p q]: how many elements [q] is behind [p]. *)
val distance : 'a ptr -> 'a ptr -> int

(** By address. *)
val ptr_equal : 'a ptr -> 'a ptr -> bool

val ptr_compare : 'a ptr -> 'a ptr -> int

(** {1 Memory}

    Blocks of this module are counted as memory outside the heap: they make the collector work, and
    profiles show them as [external] ([--by source]), with the stack that allocated them. They are
    freed when no pointer into them is reachable. *)

(** Memory for one value, which is written there. [finalise] is called once, before the memory is
    freed by the collector. *)
val allocate : ?finalise:('a ptr -> unit) -> 'a typ -> 'a -> 'a ptr

(** Zeroed memory for so many elements. Raises [Invalid_argument] for a negative number. *)
val allocate_n : ?finalise:('a ptr -> unit) -> 'a typ -> int -> 'a ptr

(** Frees a block at once, whichever pointer into it is given ([finalise] is not called any more);
    bigarrays that show it keep it until they die. Raises [Invalid_argument] if it was freed, or does
    not come from {!allocate}, {!allocate_n}, {!of_string}, {!make}. *)
val free : 'a ptr -> unit

(** [own ~free ~bytes p] takes over memory that C code allocated: [free] is called once when it is no
    longer reachable through the result. [bytes] is its size, for bounds and accounting. Raises
    [Invalid_argument] for a null pointer. *)
val own : free:('a ptr -> unit) -> bytes:int -> 'a ptr -> 'a ptr

(** Bytes from the pointer to the end of its block; [None] if nothing is known of its memory. *)
val known_bytes : 'a ptr -> int option

(** Copies so many elements; the two may overlap. *)
val copy : from:'a ptr -> into:'a ptr -> int -> unit

(** The bytes at a pointer: so many, or up to the first zero byte. *)
val string_at : ?length:int -> char ptr -> string

(** A new block with these bytes and a zero byte. *)
val of_string : string -> char ptr

(** [write_string p s start length] copies a part of [s]. Raises [Invalid_argument] also if there is
    no such part. *)
val write_string : char ptr -> string -> int -> int -> unit

(** [read_bytes p b start length] copies into a part of [b]. Raises as {!write_string}. *)
val read_bytes : char ptr -> bytes -> int -> int -> unit

(** {1 Structures} *)

(** A new, zeroed structure or union; [finalise] as for {!allocate}. *)
val make : ?finalise:('s structure ptr -> unit) -> 's structure typ -> 's structure

(** Where it lies. *)
val addr : 's structure -> 's structure ptr

(** Reading, writing and pointing at a field raise [Invalid_argument] if it is one of another
    structure. *)
val getf : 's structure -> ('s, 'a) field -> 'a

val setf : 's structure -> ('s, 'a) field -> 'a -> unit
val ( |-> ) : 's structure ptr -> ('s, 'a) field -> 'a ptr

(** {1 Arrays} *)

module Carray : sig
  (** Zeroed. *)
  val make : 'a typ -> int -> 'a carray

  val of_list : 'a typ -> 'a list -> 'a carray

  (** The array that begins there. Raises [Invalid_argument] for a negative length. *)
  val of_ptr : 'a ptr -> int -> 'a carray

  val start : 'a carray -> 'a ptr
  val length : 'a carray -> int

  (** Both raise [Invalid_argument] outside the array. *)
  val get : 'a carray -> int -> 'a

  val set : 'a carray -> int -> 'a -> unit
  val to_list : 'a carray -> 'a list
  val iter : ('a -> unit) -> 'a carray -> unit
end

(** {1 Bigarrays} *)

(** [bigarray p kind layout dims] shows the memory at [p]; it keeps the block alive, and so do
    bigarrays made from it. Memory that nothing is known of must outlive it. Raises
    [Invalid_argument] if it would not fit in the block. *)
val bigarray :
  'p ptr -> ('a, 'b) Bigarray.kind -> 'c Bigarray.layout -> int array ->
  ('a, 'b, 'c) Bigarray.Genarray.t

(** A pointer to a bigarray's first element; it keeps the elements alive (not those of a mapped
    file). *)
val of_bigarray : 'p typ -> ('a, 'b, 'c) Bigarray.Genarray.t -> 'p ptr
