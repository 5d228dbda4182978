(* C code reads these types: stdlib/ffi/ffi.h has the layout. *)

(* The order is that of stdlib/ffi/scalars.def. *)
type _ scalar =
  | Bool : bool scalar
  | Char : char scalar
  | Int8 : int scalar
  | Uint8 : int scalar
  | Int16 : int scalar
  | Uint16 : int scalar
  | Int : int scalar
  | Uint : int scalar
  | Long : int scalar
  | Ulong : int scalar
  | Int32 : int32 scalar
  | Int64 : int64 scalar
  | Uint64 : int64 scalar
  | Intptr : nativeint scalar
  | Float : float scalar
  | Double : float scalar
  | Long_double : float scalar
  | Complex_float : Complex.t scalar
  | Complex_double : Complex.t scalar
  | String : string scalar
  | String_opt : string option scalar
  | Bytes : bytes scalar

type memory
type signature
type handle

type _ typ =
  | Void : unit typ
  | Scalar : 'a scalar -> 'a typ
  | Pointer : 'a typ -> 'a ptr typ
  | Struct : 's aggregate -> 's structure typ
  | Array : 'a typ * int -> 'a carray typ
  | Funptr : 'f prepared -> 'f funptr typ
  | Closure : 'f prepared -> 'f typ

and 's aggregate = {
  mutable size : int;
  mutable align : int;
  mutable first_class : int;
  mutable second_class : int;
  name : string;
  union : bool;
  mutable sealed : bool;
  mutable members : member list;
}

and member = Member : int * 'a typ -> member

and 'f prepared = { signature : signature; arguments : any array; result : any; fn : 'f fn }

and any = Any : 'a typ -> any [@@unboxed]

and _ fn =
  | Returns : 'a typ -> 'a fn
  | Arrow : 'a typ * 'b fn -> ('a -> 'b) fn

and 'a ptr = { address : int; memory : memory; target : 'a typ }

and 's structure = At of 's structure ptr [@@unboxed]

and 'f funptr = { code : int; owner : memory; kind : 'f prepared }

and 'a carray = { start : 'a ptr; length : int }

type ('s, 'a) field = { aggregate : 's aggregate; offset : int; typ : 'a typ }

type 'f call = {
  prepared : 'f prepared;
  entry : int;
  library : handle;
  label : string;
  blocking : bool;
  keeps : memory; (* the callback at entry, if it is one of this module *)
}

external scalar_size : 'a scalar -> int = "bactrian_ffi_scalar_size"
external scalar_align : 'a scalar -> int = "bactrian_ffi_scalar_align"
external scalar_name : 'a scalar -> string = "bactrian_ffi_scalar_name"
external c_signature : any array -> any -> int -> signature = "bactrian_ffi_signature"
external call_1 : 'f call -> 'a -> 'r = "bactrian_ffi_call_1"
external call_2 : 'f call -> 'a -> 'b -> 'r = "bactrian_ffi_call_2"
external call_3 : 'f call -> 'a -> 'b -> 'c -> 'r = "bactrian_ffi_call_3"
external call_4 : 'f call -> 'a -> 'b -> 'c -> 'd -> 'r = "bactrian_ffi_call_4"
external call_list : 'f call -> Obj.t list -> 'r = "bactrian_ffi_call_list"
external errno : unit -> int = "bactrian_ffi_errno"
external error_message : int -> string = "bactrian_ffi_error_text"
external c_callback : 'f prepared -> 'f -> memory = "bactrian_ffi_callback"
external c_callback_address : memory -> int = "bactrian_ffi_callback_address"
external c_callback_free : memory -> unit = "bactrian_ffi_callback_free"
external c_library_open : string -> bool -> handle = "bactrian_ffi_library_open"
external c_library_close : handle -> unit = "bactrian_ffi_library_close"
external c_library_symbol : handle -> string -> int = "bactrian_ffi_library_symbol"
external c_allocate : int -> memory = "bactrian_ffi_allocate"
external c_own : int -> int -> memory = "bactrian_ffi_own"
external c_free : memory -> unit = "bactrian_ffi_free"
external c_disown : memory -> bool = "bactrian_ffi_disown"
external c_memory_address : memory -> int = "bactrian_ffi_memory_address"
external c_memory_state : memory -> int = "bactrian_ffi_memory_state"
external c_load : 'a typ -> memory -> int -> 'a = "bactrian_ffi_load"
external c_store : 'a typ -> memory -> int -> 'a -> unit = "bactrian_ffi_store"
external c_move : memory -> int -> memory -> int -> int -> unit = "bactrian_ffi_move"
external c_get_string : memory -> int -> int -> string = "bactrian_ffi_get_string"
external c_put_string : memory -> int -> string -> int -> int -> unit = "bactrian_ffi_put_string"
external c_get_bytes : memory -> int -> bytes -> int -> int -> unit = "bactrian_ffi_get_bytes"
external c_bigarray : memory -> int -> int -> int array -> ('a, 'b, 'c) Bigarray.Genarray.t
  = "bactrian_ffi_bigarray_of_memory"
external c_of_bigarray : ('a, 'b, 'c) Bigarray.Genarray.t -> memory
  = "bactrian_ffi_memory_of_bigarray"
external kind_number : ('a, 'b) Bigarray.kind -> int = "%identity"
external layout_number : 'c Bigarray.layout -> int = "%identity"
external not_ours : int -> memory = "%identity"
external no_handle : int -> handle = "%identity"

(* who: the function of this module that raises. *)
let fail_with text = invalid_arg ("Ffi." ^ text)
let bad_type t text = invalid_arg (Printf.sprintf "Ffi: %s %s" t text)

(* Memory with unknown bounds. *)
let unknown = not_ours 0

(* ---- Types. ---- *)

let void = Void
let bool = Scalar Bool
let char = Scalar Char
let int8_t = Scalar Int8
let uint8_t = Scalar Uint8
let int16_t = Scalar Int16
let uint16_t = Scalar Uint16
let int = Scalar Int
let uint = Scalar Uint
let uint32_t = Scalar Uint
let short = int16_t
let ushort = uint16_t
let long = Scalar Long
let ulong = Scalar Ulong
let size_t = Scalar Ulong
let ssize_t = Scalar Long
let int32_t = Scalar Int32
let int64_t = Scalar Int64
let uint64_t = Scalar Uint64
let llong = Scalar Int64
let ullong = Scalar Uint64
let intptr_t = Scalar Intptr
let float = Scalar Float
let double = Scalar Double
let long_double = Scalar Long_double
let complex_float = Scalar Complex_float
let complex_double = Scalar Complex_double
let string = Scalar String
let string_opt = Scalar String_opt
let bytes = Scalar Bytes
let ptr t = Pointer t

let rec describe : type a. a typ -> string = function
  | Void -> "void"
  | Scalar s -> scalar_name s
  | Pointer t -> describe t ^ " *"
  | Struct a -> (if a.union then "union " else "struct ") ^ a.name
  | Array (t, n) -> Printf.sprintf "%s[%d]" (describe t) n
  | Funptr _ | Closure _ -> "a function pointer"

let no_size who t = fail_with (who ^ ": " ^ describe t ^ " has no size")

let rec sizeof : type a. a typ -> int = function
  | Scalar s -> scalar_size s
  | Pointer _ -> 8
  | Funptr _ -> 8
  | Struct a when a.sealed -> a.size
  | Array (t, n) -> n * sizeof t
  | Struct _ as t -> no_size "sizeof" t
  | Void -> no_size "sizeof" Void
  | Closure _ as t -> no_size "sizeof" t

let rec alignof : type a. a typ -> int = function
  | Scalar s -> scalar_align s
  | Pointer _ -> 8
  | Funptr _ -> 8
  | Struct a when a.sealed -> a.align
  | Array (t, _) -> alignof t
  | Struct _ as t -> no_size "alignof" t
  | Void -> no_size "alignof" Void
  | Closure _ as t -> no_size "alignof" t

let array n t =
  if n < 0 || n > max_int / (sizeof t + 1) then fail_with "array: a bad length";
  Array (t, n)

(* ---- Structures and unions. ---- *)

let aggregate name union =
  Struct { size = 0; align = 1; first_class = 0; second_class = 0; name; union; sealed = false;
           members = [] }

let structure name = aggregate name false
let union name = aggregate name true

let aggregate_of : type s. string -> s structure typ -> s aggregate = fun who t ->
  match t with
  | Struct a -> a
  | _ -> fail_with (who ^ ": not a structure or union")

let round_up n align = (n + align - 1) / align * align

let field s name typ =
  let a = aggregate_of "field" s in
  if a.sealed then fail_with ("field: " ^ describe s ^ " is sealed: no field " ^ name ^ " any more");
  let offset = if a.union then 0 else round_up a.size (alignof typ) in
  a.size <- max a.size (offset + sizeof typ);
  a.align <- max a.align (alignof typ);
  a.members <- Member (offset, typ) :: a.members;
  { aggregate = a; offset; typ }

(* Classes of eightbytes: the numbers of signature.c. *)
let no_class = 0
let class_integer = 1
let class_sse = 2
let class_x87 = 3
let class_mixed = 4

let merge a b =
  if a = b || b = no_class then a
  else if a = no_class then b
  else if a = class_x87 || b = class_x87 || a = class_mixed || b = class_mixed then class_mixed
  else class_integer

let class_of_scalar : type a. a scalar -> int = function
  | Float | Double | Complex_float | Complex_double -> class_sse
  | Long_double -> class_x87
  | _ -> class_integer

let rec classify : type a. int array -> int -> a typ -> unit = fun classes at t ->
  let cover size c =
    for i = at / 8 to (at + size - 1) / 8 do classes.(i) <- merge classes.(i) c done in
  match t with
  | Scalar s -> cover (scalar_size s) (class_of_scalar s)
  | Pointer _ -> cover 8 class_integer
  | Funptr _ -> cover 8 class_integer
  | Struct a -> List.iter (fun (Member (offset, t)) -> classify classes (at + offset) t) a.members
  | Array (t, n) -> for i = 0 to n - 1 do classify classes (at + (i * sizeof t)) t done
  | Void | Closure _ -> ()

let seal s =
  let a = aggregate_of "seal" s in
  if a.sealed then fail_with ("seal: " ^ describe s ^ " is sealed already");
  if a.size = 0 then fail_with ("seal: " ^ describe s ^ " has no field");
  a.size <- round_up a.size a.align;
  a.sealed <- true;
  if a.size <= 16 then begin
    let classes = [| no_class; no_class |] in
    classify classes 0 s;
    a.first_class <- classes.(0);
    a.second_class <- classes.(1)
  end

let offsetof f = f.offset

(* ---- Function types. ---- *)

let ( @-> ) a b = Arrow (a, b)
let returning t = Returns t

type use = Called | Calls_back

let by_value : type s. s aggregate -> s structure typ -> unit = fun a t ->
  if not a.sealed then bad_type (describe t) "is not sealed";
  if a.size <= 16 && (a.first_class = class_mixed || a.second_class = class_mixed) then
    bad_type (describe t) "can't be passed by value: long double shares its bytes"

let check_argument : type a. use -> a typ -> unit = fun use t ->
  match t with
  | Struct a -> by_value a t
  | Array _ -> bad_type (describe t) "cannot be an argument: pass a pointer"
  | (Scalar Bytes | Closure _) when use = Calls_back ->
    bad_type (describe t) "is nothing that C gives to a callback: take a pointer"
  | _ -> ()

let check_result : type a. use -> a typ -> unit = fun use t ->
  match t with
  | Struct a -> by_value a t
  | Array _ | Scalar Bytes | Closure _ -> bad_type (describe t) "cannot be a result"
  | Scalar (String | String_opt) when use = Calls_back ->
    bad_type (describe t) "cannot be the result of a callback: nobody would own the memory"
  | _ -> ()

let prepare use fixed fn =
  let rec walk : type f. f fn -> any list -> any list * any = fun fn arguments ->
    match fn with
    | Arrow (t, rest) -> check_argument use t; walk rest (Any t :: arguments)
    | Returns t -> check_result use t; (List.rev arguments, Any t) in
  let arguments, result = walk fn [] in
  let arguments = Array.of_list arguments in
  { signature = c_signature arguments result fixed; arguments; result; fn }

let funptr fn = Funptr (prepare Calls_back (-1) fn)
let closure fn = Closure (prepare Calls_back (-1) fn)

let rec collect : type f g. g call -> f fn -> Obj.t list -> f = fun c fn arguments ->
  match fn with
  | Arrow (_, Returns _) -> fun a -> call_list c (Obj.repr a :: arguments)
  | Arrow (_, rest) -> fun a -> collect c rest (Obj.repr a :: arguments)
  | Returns _ -> call_list c arguments

let bind : type f. f call -> f = fun c ->
  match c.prepared.fn with
  | Arrow (_, Returns _) -> fun a -> call_1 c a
  | Arrow (_, Arrow (_, Returns _)) -> fun a b -> call_2 c a b
  | Arrow (_, Arrow (_, Arrow (_, Returns _))) -> fun a b x -> call_3 c a b x
  | Arrow (_, Arrow (_, Arrow (_, Arrow (_, Returns _)))) -> fun a b x y -> call_4 c a b x y
  | fn -> collect c fn []

(* ---- Libraries. ---- *)

type library = handle

let open_library ?(global = false) name = c_library_open name global
let close_library = c_library_close

(* Libraries opened by name; they stay open. *)
let named : (string, library) Hashtbl.t = Hashtbl.create 7

let library_named name =
  match Hashtbl.find_opt named name with
  | Some library -> library
  | None ->
    let library = open_library name in
    Hashtbl.add named name library;
    library

let choose lib from =
  match lib, from with
  | Some _, Some _ -> fail_with "foreign: both ~lib and ~from"
  | Some name, None -> library_named name
  | None, Some library -> library
  | None, None -> library_named ""

let foreign ?lib ?from ?(fixed = -1) ?(blocking = false) name fn =
  let library = choose lib from in
  let prepared = prepare Called fixed fn in
  bind { prepared; entry = c_library_symbol library name; library; label = name; blocking;
         keeps = unknown }

let foreign_value ?lib ?from name typ =
  let library = choose lib from in
  { address = c_library_symbol library name; memory = unknown; target = typ }

(* ---- Pointers. ---- *)

let null target = { address = 0; memory = unknown; target }
let is_null p = p.address = 0
let address p = Nativeint.of_int p.address

let of_address target n =
  let address = Nativeint.to_int n in
  if Nativeint.of_int address <> n then fail_with "of_address: not an address";
  { address; memory = unknown; target }

let cast target p = { address = p.address; memory = p.memory; target }
let ( !@ ) p = c_load p.target p.memory p.address
let ( <-@ ) p v = c_store p.target p.memory p.address v
let ( +@ ) p n = { p with address = p.address + (n * sizeof p.target) }
let distance p q = (q.address - p.address) / sizeof p.target
let ptr_equal p q = p.address = q.address
let ptr_compare p q = compare p.address q.address

(* ---- Memory. ---- *)

let allocate_bytes finalise bytes target =
  let memory = c_allocate bytes in
  let address = c_memory_address memory in
  (match finalise with
   | None -> ()
   | Some f ->
     let last m = if c_memory_state m >= 0 then f { address; memory = m; target } in
     Gc.finalise last memory);
  { address; memory; target }

let allocate_n ?finalise target count =
  let size = sizeof target in
  if count < 0 || (size > 0 && count > max_int / size) then fail_with "allocate_n: a bad count";
  allocate_bytes finalise (count * size) target

let allocate ?finalise target v =
  let p = allocate_n ?finalise target 1 in
  p <-@ v;
  p

let free p = c_free p.memory

let own ~free ~bytes p =
  if is_null p then fail_with "own: a null pointer";
  let memory = c_own p.address bytes in
  let { address; target; _ } = p in
  let rec last m =
    if c_disown m then free { address; memory = unknown; target } else Gc.finalise last m in
  Gc.finalise last memory;
  { address; memory; target }

let known_bytes p =
  match c_memory_state p.memory with
  | -2 -> None
  | -1 -> Some 0
  | bytes -> Some (c_memory_address p.memory + bytes - p.address)

let copy ~from ~into count =
  c_move from.memory from.address into.memory into.address (count * sizeof from.target)

let string_at ?(length = -1) (p : char ptr) =
  if length < -1 then fail_with "string_at: a negative length";
  c_get_string p.memory p.address length

let of_string s =
  let p = allocate_n char (String.length s + 1) in
  c_put_string p.memory p.address s 0 (String.length s);
  p

let write_string (p : char ptr) s start length = c_put_string p.memory p.address s start length
let read_bytes (p : char ptr) b start length = c_get_bytes p.memory p.address b start length

(* ---- Structures in memory. ---- *)

let addr (At p) = p

let make ?finalise s =
  ignore (aggregate_of "make" s);
  At (allocate_n ?finalise s 1)

let check_field who p f =
  if aggregate_of who p.target != f.aggregate then
    fail_with (who ^ ": not a field of " ^ describe p.target)

let ( |-> ) p f =
  check_field "(|->)" p f;
  { address = p.address + f.offset; memory = p.memory; target = f.typ }

let getf (At p) f =
  check_field "getf" p f;
  c_load f.typ p.memory (p.address + f.offset)

let setf (At p) f v =
  check_field "setf" p f;
  c_store f.typ p.memory (p.address + f.offset) v

(* ---- Arrays. ---- *)

module Carray = struct
  let of_ptr start length =
    if length < 0 then fail_with "Carray.of_ptr: a negative length";
    { start; length }

  let make t length = of_ptr (allocate_n t length) length
  let start a = a.start
  let length a = a.length

  let element a i =
    if i < 0 || i >= a.length then fail_with "Carray: index out of bounds";
    a.start +@ i

  let get a i = !@(element a i)
  let set a i v = element a i <-@ v

  let of_list t list =
    let a = make t (List.length list) in
    List.iteri (set a) list;
    a

  let to_list a = List.init a.length (get a)
  let iter f a = for i = 0 to a.length - 1 do f (get a i) done
end

(* ---- Bigarrays. ---- *)

let bigarray p kind layout dims =
  c_bigarray p.memory p.address (kind_number kind lor (layout_number layout lsl 8)) dims

let of_bigarray target b =
  let memory = c_of_bigarray b in
  { address = c_memory_address memory; memory; target }

(* ---- Callbacks. ---- *)

let callback fn f =
  let kind = prepare Calls_back (-1) fn in
  let owner = c_callback kind f in
  { code = c_callback_address owner; owner; kind }

let free_callback f = c_callback_free f.owner
let null_funptr fn = { code = 0; owner = unknown; kind = prepare Calls_back (-1) fn }
let is_null_funptr f = f.code = 0

let call ?(name = "a function pointer") ?(blocking = false) f =
  let prepared = prepare Called (-1) f.kind.fn in
  bind { prepared; entry = f.code; library = no_handle 0; label = name; blocking; keeps = f.owner }
