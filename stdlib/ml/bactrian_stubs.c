/* bactrian_stubs.c - modules Bactrian and Ffi under ocamlrun.
 *
 * ocamlc needs a library of C code for external functions, which ocamlrun loads. Bactrian has these
 * primitives built in and never opens the library. */
#include <stdint.h>

typedef intptr_t value;

extern void caml_failwith(const char *text) __attribute__((noreturn)); /* ocamlrun's */

#define NEEDS_BACTRIAN(name, ...) \
    value name(__VA_ARGS__);      \
    value name(__VA_ARGS__) { caml_failwith("this needs Bactrian"); }

/* Naming phases and counting do nothing under ocamlrun. */
#define NOTHING_ELSEWHERE(name) \
    value name(value argument); \
    value name(value argument) { return 1; /* () */ }

NEEDS_BACTRIAN(bactrian_memprof_start, value rate, value callstack_size, value tracker)
NEEDS_BACTRIAN(bactrian_memprof_start_another, value rate, value callstack_size, value tracker)
NEEDS_BACTRIAN(bactrian_memprof_stop, value unit)
NEEDS_BACTRIAN(bactrian_memprof_stop_another, value profile)
NEEDS_BACTRIAN(bactrian_memprof_discard, value profile)
NEEDS_BACTRIAN(bactrian_memprof_is_sampling, value unit)
NEEDS_BACTRIAN(bactrian_profile_start, value rate, value keep, value path)
NEEDS_BACTRIAN(bactrian_profile_stop, value unit)
NEEDS_BACTRIAN(bactrian_profile_snapshot, value path)
NEEDS_BACTRIAN(bactrian_profile_snapshot_values, value path)
NOTHING_ELSEWHERE(bactrian_profile_enter_phase)
NOTHING_ELSEWHERE(bactrian_profile_leave_phase)
extern value bactrian_profile_count(value more, value name);
value bactrian_profile_count(value more, value name) { return 1; /* () */ }
/* Nor do units: () is also false, and the number of no counts. */
NOTHING_ELSEWHERE(bactrian_units_is_on)
NOTHING_ELSEWHERE(bactrian_units_malloc)
NOTHING_ELSEWHERE(bactrian_units_free)
NOTHING_ELSEWHERE(bactrian_units_enter)
NOTHING_ELSEWHERE(bactrian_units_leave)
extern value bactrian_units_write(value number, value file);
value bactrian_units_write(value number, value file) { return 1; /* () */ }

#define FFI_PRIM(name, kinds, result, capability, flags) \
    NEEDS_BACTRIAN(bactrian_ffi_##name, value first)
#include "stdlib/ffi/prims.def"
