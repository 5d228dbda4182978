(** Calling C functions from OCaml, without C code.

    {v
let cos = Ffi.(foreign ~lib:"libm.so.6" "cos" (double @-> returning double))
let () = Printf.printf "%.3f\n" (cos 0.)
    v}

    Scripts run by [bactrian script.ml] can use it directly; other programs are compiled with
    [ocamlc -I "$(bactrian --where)" bactrian.cma]. Under [ocamlrun] every function that needs C code
    raises [Failure "this needs Bactrian"].

    {b Errors.} Errors that can be detected raise an exception before C code runs:
    [Invalid_argument] for a wrong use (a value that the C type cannot hold, a null pointer, memory
    that was freed, an access out of bounds, a closed library, a field of another structure),
    [Failure] for a library or symbol that does not exist and for a number from C that [int] cannot
    hold. A wrong type for a C function cannot be detected and may end the process.
    [bactrian --audit] shows this module as capability [dynlink].

    Sizes, lengths and offsets are in bytes, unless "elements" are mentioned. Functions raise no
    exception besides [Out_of_memory] unless stated.

    {b The collector.} Any function here may allocate in OCaml's heap, and so run the collector.
    Memory that C sees does not move: blocks of this module are outside the heap, and strings given
    to a C function stay where C sees them until it returns. C code reaches OCaml values only through
    callbacks. *)

(** {1 Types of C values} *)

(** A C type whose values are of type ['a] in OCaml. *)
type 'a typ

(** A pointer to values of type ['a]. It knows the block of memory that it points into, if that
    block came from this module, and keeps it alive. *)
type 'a ptr

(** A C structure or union, as a location in memory: reading one from a field or an array copies
    nothing. ['s] is a type of the program that distinguishes structures. *)
type 's structure

(** An array in C memory, with its length. *)
type 'a carray

(** A C function pointer; the function is of type ['f] in OCaml. *)
type 'f funptr

(** No value: the result of a C function without result. As the only argument it makes the OCaml
    function take [()] and the C function nothing. *)
val void : unit typ

(** {2 Numbers}

    Types with OCaml type [int] are tested: a number that the C type cannot hold raises
    [Invalid_argument]; a number of 64 bits from C that [int] cannot hold raises [Failure]. *)

(** C's [_Bool]. *)
val bool : bool typ

(** One byte. *)
val char : char typ

(** 8 bits, -128 to 127. *)
val int8_t : int typ

(** 8 bits, 0 to 255. *)
val uint8_t : int typ

(** 16 bits, -32,768 to 32,767. *)
val int16_t : int typ

(** 16 bits, 0 to 65,535. *)
val uint16_t : int typ

(** As {!int16_t}. *)
val short : int typ

(** As {!uint16_t}. *)
val ushort : int typ

(** 32 bits, [-2^31] to [2^31 - 1]: C's [int], not OCaml's. *)
val int : int typ

(** 32 bits, 0 to [2^32 - 1]. *)
val uint : int typ

(** As {!uint}. *)
val uint32_t : int typ

(** 64 bits. *)
val long : int typ

(** 64 bits, no negative numbers. *)
val ulong : int typ

(** As {!ulong}. *)
val size_t : int typ

(** As {!long}. *)
val ssize_t : int typ

(** 32 bits, all of them. *)
val int32_t : int32 typ

(** 64 bits, all of them. *)
val int64_t : int64 typ

(** All 64 bits, those from [2^63] on as negative numbers. *)
val uint64_t : int64 typ

(** C's [long long]: as {!int64_t}. *)
val llong : int64 typ

(** As {!uint64_t}. *)
val ullong : int64 typ

(** 64 bits, all of them: an address as a number. *)
val intptr_t : nativeint typ

(** Rounded to single precision on its way to C. *)
val float : float typ

(** 64 bits, as OCaml's [float]. *)
val double : float typ

(** Converted from and to double precision: the additional bits are lost. *)
val long_double : float typ

(** C's [float complex]: both parts are rounded to single precision. *)
val complex_float : Complex.t typ

(** C's [double complex]. *)
val complex_double : Complex.t typ

(** {2 Strings} *)

(** [const char *]. As an argument: the bytes of the string and a zero byte, valid until the C
    function returns; C sees all bytes, zeros inside included, and must not write. As a result, an
    argument of a callback, or read from memory: a copy up to the first zero byte; a null pointer
    raises [Invalid_argument]. It cannot be stored in C memory: see {!of_string}. *)
val string : string typ

(** The same, with [None] for a null pointer. *)
val string_opt : string option typ

(** [char *], only as an argument: C may read and write the bytes, until it returns. *)
val bytes : bytes typ

(** {2 Pointers, structures, unions, arrays} *)

(** A pointer to values of a type: an address of 8 bytes. *)
val ptr : 'a typ -> 'a ptr typ

(** [array n t] is an array of [n] elements: a field, or the target of a pointer. C passes no arrays
    by value. Raises [Invalid_argument] if [n < 0]. *)
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
    largest and most aligned fields. When it is passed by value, 8 bytes that hold an integer or a
    pointer in any field are passed as an integer, others as floating point, as the ABI of x86-64
    requires. *)
val union : string -> 's structure typ

(** Adds a field after the existing ones, aligned as in C. Raises [Invalid_argument] if the
    structure is sealed or the field's type has no size. *)
val field : 's structure typ -> string -> 'a typ -> ('s, 'a) field

(** Ends the list of fields. Raises [Invalid_argument] if it is empty, or was ended before. *)
val seal : 's structure typ -> unit

(** The bytes of a value in C memory. Raises [Invalid_argument] for types without size: [void],
    closures, structures that are not sealed. *)
val sizeof : 'a typ -> int

(** The bytes of which its addresses are multiples. Raises as {!sizeof}. *)
val alignof : 'a typ -> int

(** The bytes between the start of the structure and the field. *)
val offsetof : ('s, 'a) field -> int

(** {1 Functions} *)

(** A C function's type. ['f] is the OCaml function's. *)
type 'f fn

(** [t @-> fn] takes an argument of type [t], then those of [fn]. {!foreign}, {!callback} and {!call}
    raise [Invalid_argument] for a type of more than 64 arguments. *)
val ( @-> ) : 'a typ -> 'b fn -> ('a -> 'b) fn

(** A function with that result and no arguments yet. *)
val returning : 'a typ -> 'a fn

(** A library of C code. *)
type library

(** [open_library "libz.so.1"] opens a library; a name without [/] is searched for in the
    system's directories; [""] is the process itself. [global] makes its symbols visible to libraries
    opened later. Raises [Failure] if it cannot be opened. *)
val open_library : ?global:bool -> string -> library

(** Closes it: functions found in it raise [Invalid_argument] afterwards. Pointers to its data, and
    function pointers from its C code, must not be used afterwards; this is not detected. *)
val close_library : library -> unit

(** [foreign ~lib name fn] is the C function of that name. [lib] names a library, which stays open;
    [from] is one from {!open_library}; without both, the process is searched (the C library, among
    others). [fixed], for variadic functions, is the number of arguments that the C declaration names
    before its dots:

    {v let printf = foreign ~fixed:1 "printf" (string @-> int @-> double @-> returning int) v}

    [blocking] lets other threads run OCaml code during the call, for functions that may wait. C must
    not use [bytes] that another thread changes then.

    While the function runs, exceptions of callbacks wait: see {!callback}. Raises [Failure] if there
    is no such library or symbol, [Invalid_argument] for a type that no C function has. *)
val foreign :
  ?lib:string -> ?from:library -> ?fixed:int -> ?blocking:bool -> string -> 'f fn -> 'f

(** A variable of C code, as a pointer to it. Raises as {!foreign}. *)
val foreign_value : ?lib:string -> ?from:library -> string -> 'a typ -> 'a ptr

(** The C library's [errno] after the last foreign call of this thread. Each call starts with 0. *)
val errno : unit -> int

(** The system's text for an [errno]. *)
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

(** [callback fn f] is a function pointer that calls [f]. It is valid while the result is reachable
    from OCaml, until {!free_callback}: keep it while C code may use it. Structures that C passes by
    value are copied.

    {b Threads.} C code may call it from its own threads: [f] runs there when no other thread runs
    OCaml code. A foreign function that waits for such a thread must be [~blocking:true]. These
    threads must not call it when the program ends.

    {b Exceptions.} An exception never crosses C code. If [f] raises, or returns what the C type
    cannot hold, the result in C is zero; further callbacks of the same foreign call return zero
    without running; and the foreign call raises the exception when it returns. Calling a freed
    callback raises [Invalid_argument] in the same way. In a thread that C code made, the exception is
    printed on standard error. If a stub in the sense of OCaml's manual calls the callback, the
    exception passes it as it passes [caml_callback]. (The code of a freed callback is reused after
    1,024 others were freed.) *)
val callback : 'f fn -> 'f -> 'f funptr

(** Frees a callback. Raises [Invalid_argument] if it was freed, or comes from C. *)
val free_callback : 'f funptr -> unit

(** The OCaml function that calls a function pointer; [name] is for messages, [blocking] as for
    {!foreign}. Calling a null pointer raises [Invalid_argument]. *)
val call : ?name:string -> ?blocking:bool -> 'f funptr -> 'f

(** The null pointer as a function pointer. *)
val null_funptr : 'f fn -> 'f funptr

(** Whether it is null. *)
val is_null_funptr : 'f funptr -> bool

(** {1 Pointers} *)

(** The null pointer. *)
val null : 'a typ -> 'a ptr

(** Whether the address is 0. *)
val is_null : 'a ptr -> bool

(** The address as a number. The result keeps no block alive. *)
val address : 'a ptr -> nativeint

(** A pointer to memory with unknown bounds. Raises [Invalid_argument] for a number that is no
    address. *)
val of_address : 'a typ -> nativeint -> 'a ptr

(** The same address, as a pointer to another type. *)
val cast : 'b typ -> 'a ptr -> 'b ptr

(** Reads. Raises [Invalid_argument] if the pointer is null (below 4,096), its block was freed, or
    the value is not inside its block; so do all functions that read or write. *)
val ( !@ ) : 'a ptr -> 'a

(** Writes. *)
val ( <-@ ) : 'a ptr -> 'a -> unit

(** [p +@ n] is [p] advanced by [n] elements; [n] may be negative. Bounds are tested at accesses. *)
val ( +@ ) : 'a ptr -> int -> 'a ptr

(** [distance p q] is the number of elements from [p] to [q]. *)
val distance : 'a ptr -> 'a ptr -> int

(** Whether the addresses are the same. *)
val ptr_equal : 'a ptr -> 'a ptr -> bool

(** By address: negative, zero or positive, as [compare]. *)
val ptr_compare : 'a ptr -> 'a ptr -> int

(** {1 Memory}

    Blocks of this module are counted as memory outside the heap: they pace the collector, and
    profiles show them as [external] ([--by source]), with the stack that allocated them. They are
    freed when no pointer into them is reachable. *)

(** A block with one value. [finalise] is called once, before the memory is
    freed by the collector. *)
val allocate : ?finalise:('a ptr -> unit) -> 'a typ -> 'a -> 'a ptr

(** [allocate_n t n] is zeroed memory for [n] elements. Raises [Invalid_argument] if [n < 0]. *)
val allocate_n : ?finalise:('a ptr -> unit) -> 'a typ -> int -> 'a ptr

(** Frees the block of a pointer at once, without calling [finalise]; bigarrays that share it keep it
    until they die. Raises [Invalid_argument] if it was freed, or does
    not come from {!allocate}, {!allocate_n}, {!of_string}, {!make}. *)
val free : 'a ptr -> unit

(** [own ~free ~bytes p] takes over memory that C code allocated: [free] is called once when it is no
    longer reachable through the result. [bytes] is its size, for bounds and accounting. Raises
    [Invalid_argument] for a null pointer. *)
val own : free:('a ptr -> unit) -> bytes:int -> 'a ptr -> 'a ptr

(** Bytes from the pointer to the end of its block; [None] if its bounds are unknown. *)
val known_bytes : 'a ptr -> int option

(** [copy ~from ~into n] copies [n] elements; the ranges may overlap. *)
val copy : from:'a ptr -> into:'a ptr -> int -> unit

(** The [length] bytes at a pointer; by default, those up to the first zero byte. *)
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

(** The address of a structure. *)
val addr : 's structure -> 's structure ptr

(** The value of a field. Raises [Invalid_argument] for a field of another structure. *)
val getf : 's structure -> ('s, 'a) field -> 'a

(** Sets a field. Raises as {!getf}. *)
val setf : 's structure -> ('s, 'a) field -> 'a -> unit

(** The address of a field. Raises as {!getf}. *)
val ( |-> ) : 's structure ptr -> ('s, 'a) field -> 'a ptr

(** {1 Arrays} *)

(** Arrays in C memory, with bounds. *)
module Carray : sig
  (** A new, zeroed array of that many elements. Raises [Invalid_argument] for a negative number. *)
  val make : 'a typ -> int -> 'a carray

  (** A new array with these elements. *)
  val of_list : 'a typ -> 'a list -> 'a carray

  (** The array of that length at a pointer. Raises [Invalid_argument] for a negative length. *)
  val of_ptr : 'a ptr -> int -> 'a carray

  (** A pointer to the first element. *)
  val start : 'a carray -> 'a ptr

  (** The number of elements. *)
  val length : 'a carray -> int

  (** Element [i], from 0. Raises [Invalid_argument] outside the array. *)
  val get : 'a carray -> int -> 'a

  (** Sets element [i]. Raises as {!get}. *)
  val set : 'a carray -> int -> 'a -> unit

  (** All elements in order. *)
  val to_list : 'a carray -> 'a list

  (** Calls a function for each element in order. *)
  val iter : ('a -> unit) -> 'a carray -> unit
end

(** {1 Bigarrays} *)

(** [bigarray p kind layout dims] is a bigarray of the memory at [p]. It, and bigarrays that share
    it, keep the block alive; memory with unknown bounds must outlive them. Raises
    [Invalid_argument] if it does not fit in the block. *)
val bigarray :
  'p ptr -> ('a, 'b) Bigarray.kind -> 'c Bigarray.layout -> int array ->
  ('a, 'b, 'c) Bigarray.Genarray.t

(** A pointer to a bigarray's first element; it keeps the elements alive (not those of a mapped
    file). *)
val of_bigarray : 'p typ -> ('a, 'b, 'c) Bigarray.Genarray.t -> 'p ptr
