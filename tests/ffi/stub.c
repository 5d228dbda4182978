/* stub.c - stubs that call C code, which calls a callback of module Ffi. The OCaml side is
 * threads.ml. */
#define CAML_NAME_SPACE
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

extern int call_kept(int x); /* abi.c */

value t_call(value x) { return Val_int(call_kept(Int_val(x))); }

value t_call_waiting(value x) {
    int n = Int_val(x);
    caml_enter_blocking_section();
    n = call_kept(n);
    caml_leave_blocking_section();
    return Val_int(n);
}
