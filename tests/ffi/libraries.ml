(* Real libraries: the C library, zlib, sqlite3. *)
open Ffi
open Check

type s1

(* ---- The C library. ---- *)

let printf fn = foreign ~fixed:1 "printf" (string @-> fn)
let flush_all () = ignore (foreign "fflush" (ptr void @-> returning int) (null void))

let () =
  flush stdout;
  ignore (printf (int @-> double @-> string @-> returning int) "%d %.2f %s\n" 42 3.14159 "words");
  ignore (printf (returning int) "no argument\n");
  ignore (printf (long @-> long_double @-> returning int) "%ld %.1Lf\n" max_int 0.5);
  refuses "a char among variadic arguments" (fun () -> printf (char @-> returning int) "%c" 'x')

let () = flush_all ()

let two name types =
  let s : s1 structure typ = structure name in
  let list = List.map (fun t -> field s "x" t) types in
  seal s;
  (s, list)

let () =
  let s, list = two "div_t" [int; int] in
  let d = foreign "div" (int @-> int @-> returning s) (-17) 5 in
  same "div" [-3; -2] (List.map (getf d) list);
  let s, list = two "lldiv_t" [llong; llong] in
  let d = foreign "lldiv" (llong @-> llong @-> returning s) 1_000_000_000_007L 10L in
  same "lldiv" [100_000_000_000L; 7L] (List.map (getf d) list);
  let order = ptr int @-> ptr int @-> returning int in
  let qsort =
    foreign "qsort" (ptr int @-> size_t @-> size_t @-> closure order @-> returning void) in
  let values = List.init 100 (fun i -> (i * 7919) mod 1009) in
  let a = Carray.of_list int values in
  qsort (Carray.start a) 100 4 (fun p q -> churn (); compare !@p !@q);
  same "qsort" (List.sort compare values) (Carray.to_list a);
  let bsearch =
    foreign "bsearch"
      (ptr int @-> ptr int @-> size_t @-> size_t @-> closure order @-> returning (ptr int)) in
  let key = allocate int (List.nth values 77) in
  let found = bsearch key (Carray.start a) 100 4 (fun p q -> compare !@p !@q) in
  same "bsearch" !@key !@found

let () =
  let tm : s1 structure typ = structure "tm" in
  let int_field name = field tm name int in
  let sec = int_field "tm_sec" in
  let min = int_field "tm_min" in
  let hour = int_field "tm_hour" in
  let mday = int_field "tm_mday" in
  let mon = int_field "tm_mon" in
  let year = int_field "tm_year" in
  let _ = List.map int_field ["tm_wday"; "tm_yday"; "tm_isdst"] in
  let _ = field tm "tm_gmtoff" long in
  let zone = field tm "tm_zone" string_opt in
  seal tm;
  let gmtime = foreign "gmtime_r" (ptr long @-> ptr tm @-> returning (ptr tm)) in
  let t = make tm in
  ignore (gmtime (allocate long 1_000_000_000) (addr t));
  same "gmtime_r" [40; 46; 1; 9; 8; 101] (List.map (getf t) [sec; min; hour; mday; mon; year]);
  same "its zone" (Some "GMT") (getf t zone);
  let strtol = foreign "strtol" (string @-> ptr (ptr char) @-> int @-> returning long) in
  let rest = allocate (ptr char) (null char) in
  same "strtol" 255 (strtol "ff" rest 16);
  same "what it left" "" (string_at !@rest);
  refuses "strtol, too large" (fun () -> strtol "99999999999999999999" rest 10);
  same "its errno is ERANGE" 34 (errno ())

(* ---- zlib. ---- *)

let () =
  let z name fn = foreign ~lib:"libz.so.1" name fn in
  let text = String.concat " " (List.init 500 string_of_int) in
  let n = String.length text in
  let bound = z "compressBound" (ulong @-> returning ulong) n in
  let packed = allocate_n char bound in
  let size = allocate ulong bound in
  let compress = z "compress" (ptr char @-> ptr ulong @-> string @-> ulong @-> returning int) in
  same "compress" 0 (compress packed size text n);
  ok "it is smaller" (!@size < n);
  let unpacked = allocate_n char n in
  let out = allocate ulong n in
  let uncompress =
    z "uncompress" (ptr char @-> ptr ulong @-> ptr char @-> ulong @-> returning int) in
  same "uncompress" 0 (uncompress unpacked out packed !@size);
  same "the same text" text (string_at ~length:!@out unpacked);
  out <-@ 10;
  same "no room: Z_BUF_ERROR" (-5) (uncompress unpacked out packed !@size);
  same "crc32" 0xcbf43926 (z "crc32" (ulong @-> string @-> uint @-> returning ulong) 0 "123456789" 9)

(* A stream, with OCaml functions as zlib's allocator. *)
type stream

let () =
  let z name fn = foreign ~lib:"libz.so.1" name fn in
  let s : stream structure typ = structure "z_stream_s" in
  let next_in = field s "next_in" (ptr char) in
  let avail_in = field s "avail_in" uint in
  let _ = field s "total_in" ulong in
  let next_out = field s "next_out" (ptr char) in
  let avail_out = field s "avail_out" uint in
  let total_out = field s "total_out" ulong in
  let _ = field s "msg" string_opt in
  let _ = field s "state" (ptr void) in
  let alloc_t = ptr void @-> uint @-> uint @-> returning (ptr void) in
  let free_t = ptr void @-> ptr void @-> returning void in
  let zalloc = field s "zalloc" (funptr alloc_t) in
  let zfree = field s "zfree" (funptr free_t) in
  let _ = field s "opaque" (ptr void) in
  let _ = field s "data_type" int in
  let _ = field s "adler" ulong in
  let _ = field s "reserved" ulong in
  seal s;
  same "sizeof (z_stream)" 112 (sizeof s);
  let blocks = Hashtbl.create 7 in
  let allocated = ref 0 in
  let alloc _ items size =
    churn ();
    let p = allocate_n char (items * size) in
    Hashtbl.replace blocks (address p) p;
    incr allocated;
    cast void p in
  let release _ p = Hashtbl.remove blocks (address p) in
  let alloc = callback alloc_t alloc in
  let release = callback free_t release in
  let stream = make s in
  setf stream zalloc alloc;
  setf stream zfree release;
  let version = z "zlibVersion" (void @-> returning string) () in
  let init = z "deflateInit_" (ptr s @-> int @-> string @-> int @-> returning int) in
  same "deflateInit" 0 (init (addr stream) 9 version (sizeof s));
  let input = of_string (String.make 5000 'a') and output = allocate_n char 100 in
  setf stream next_in input;
  setf stream avail_in 5000;
  setf stream next_out output;
  setf stream avail_out 100;
  Gc.full_major ();
  same "deflate: Z_STREAM_END" 1 (z "deflate" (ptr s @-> int @-> returning int) (addr stream) 4);
  let size = getf stream total_out in
  same "deflateEnd" 0 (z "deflateEnd" (ptr s @-> returning int) (addr stream));
  ok "its blocks came from OCaml, all were freed" (!allocated > 0 && Hashtbl.length blocks = 0);
  let out = allocate_n char 5000 in
  let n = allocate ulong 5000 in
  let uncompress =
    z "uncompress" (ptr char @-> ptr ulong @-> ptr char @-> ulong @-> returning int) in
  same "what it wrote" (0, String.make 5000 'a')
    (let r = uncompress out n output size in (r, string_at ~length:!@n out));
  free_callback alloc;
  free_callback release

(* ---- sqlite3. ---- *)

type db
type statement
type context
type sql_value

let () =
  let q name fn = foreign ~lib:"libsqlite3.so.0" name fn in
  let db : db structure typ = structure "sqlite3" in
  let statement : statement structure typ = structure "sqlite3_stmt" in
  let context : context structure typ = structure "sqlite3_context" in
  let sql_value : sql_value structure typ = structure "sqlite3_value" in
  let place = allocate (ptr db) (null db) in
  same "open" 0 (q "sqlite3_open" (string @-> ptr (ptr db) @-> returning int) ":memory:" place);
  let handle = !@place in
  let row_t = ptr void @-> int @-> ptr string_opt @-> ptr string_opt @-> returning int in
  let exec_with =
    q "sqlite3_exec"
      (ptr db @-> string @-> closure row_t @-> ptr void @-> ptr (ptr char) @-> returning int) in
  let errmsg = q "sqlite3_errmsg" (ptr db @-> returning string) in
  let exec sql f =
    exec_with handle sql (fun _ n values names -> churn (); f n values names) (null void)
      (null (ptr char)) in
  let silent sql = exec sql (fun _ _ _ -> 0) in
  same "create" 0 (silent "create table t (a integer, b text, c real)");
  let prepare =
    q "sqlite3_prepare_v2"
      (ptr db @-> string @-> int @-> ptr (ptr statement) @-> ptr (ptr char) @-> returning int) in
  let compile sql =
    let p = allocate (ptr statement) (null statement) in
    same ("prepare " ^ sql) 0 (prepare handle sql (-1) p (null (ptr char)));
    !@p in
  let step = q "sqlite3_step" (ptr statement @-> returning int) in
  let reset = q "sqlite3_reset" (ptr statement @-> returning int) in
  let finalize = q "sqlite3_finalize" (ptr statement @-> returning int) in
  let bind_int = q "sqlite3_bind_int64" (ptr statement @-> int @-> int64_t @-> returning int) in
  let bind_double = q "sqlite3_bind_double" (ptr statement @-> int @-> double @-> returning int) in
  let bind_text =
    q "sqlite3_bind_text"
      (ptr statement @-> int @-> string @-> int @-> ptr void @-> returning int) in
  let transient = of_address void (-1n) in
  let insert = compile "insert into t values (?, ?, ?)" in
  for i = 1 to 50 do
    ignore (bind_int insert 1 (Int64.of_int i));
    ignore (bind_text insert 2 (Printf.sprintf "row %d" i) (-1) transient);
    ignore (bind_double insert 3 (float_of_int i /. 2.));
    if step insert <> 101 then ok "insert" false;
    ignore (reset insert)
  done;
  same "finalize" 0 (finalize insert);
  let rows = ref [] in
  same "select by callback" 0
    (exec "select a, b, null from t where a > 47 order by a" (fun n values _ ->
       rows := List.init n (fun i -> Option.value ~default:"NULL" !@(values +@ i)) :: !rows;
       0));
  same "its rows" [["50"; "row 50"; "NULL"]; ["49"; "row 49"; "NULL"]; ["48"; "row 48"; "NULL"]] !rows;
  (match exec "select * from t" (fun _ _ _ -> raise Exit) with
   | _ -> ok "a row's exception" false
   | exception Exit -> ok "a row's exception" true);
  same "a callback that stops: SQLITE_ABORT" 4 (exec "select * from t" (fun _ _ _ -> 1));
  same "an error" 1 (silent "select nothing");
  same "its text" "near \"nothing\": syntax error" (errmsg handle);
  let column_int = q "sqlite3_column_int64" (ptr statement @-> int @-> returning int64_t) in
  let column_double = q "sqlite3_column_double" (ptr statement @-> int @-> returning double) in
  let column_text = q "sqlite3_column_text" (ptr statement @-> int @-> returning string_opt) in
  (* An SQL function written in OCaml, which runs a statement itself. *)
  let value_int = q "sqlite3_value_int64" (ptr sql_value @-> returning int64_t) in
  let result_int = q "sqlite3_result_int64" (ptr context @-> int64_t @-> returning void) in
  let function_t = ptr context @-> int @-> ptr (ptr sql_value) @-> returning void in
  let square =
    callback function_t (fun context _ arguments ->
      churn ();
      let n = value_int !@arguments in
      ignore (silent "select count(*) from t");
      result_int context (Int64.mul n n)) in
  let create =
    q "sqlite3_create_function"
      (ptr db @-> string @-> int @-> int @-> ptr void @-> funptr function_t @-> funptr function_t
       @-> funptr (ptr context @-> returning void) @-> returning int) in
  same "create_function" 0
    (create handle "square" 1 1 (null void) square (null_funptr function_t)
       (null_funptr (ptr context @-> returning void)));
  let select = compile "select sum(square(a)), sum(c), max(b) from t" in
  same "step: SQLITE_ROW" 100 (step select);
  same "its columns" (42925L, 637.5, Some "row 9")
    (column_int select 0, column_double select 1, column_text select 2);
  same "finalize again" 0 (finalize select);
  same "close" 0 (q "sqlite3_close" (ptr db @-> returning int) handle);
  free_callback square
