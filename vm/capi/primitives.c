/* primitives.c - primitives that stubs call, although no header of OCaml declares them. */
#include "stdlib/prim.h"
#include "vm/capi/capi_internal.h"

value caml_gc_minor(value unit) { return prim_gc_minor(self(), unit); }
value caml_gc_major(value unit) { return prim_gc_major(self(), unit); }
value caml_gc_major_slice(value words) { return prim_gc_major_slice(self(), words); }
value caml_gc_full_major(value unit) { return prim_gc_full_major(self(), unit); }
value caml_gc_compaction(value unit) { return prim_gc_compaction(self(), unit); }

value caml_compare(value a, value b) { return prim_compare(self(), a, b); }
value caml_equal(value a, value b) { return prim_equal(self(), a, b); }
value caml_notequal(value a, value b) { return prim_notequal(self(), a, b); }
value caml_hash(value meaningful, value total, value seed, value v) {
    return prim_hash(self(), meaningful, total, seed, v);
}
value caml_obj_dup(value v) { return prim_obj_dup(self(), v); }
