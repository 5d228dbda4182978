/* memprof.h - the profiler as the rest of the program sees it. */
#ifndef BACTRIAN_MEMPROF_MEMPROF_H
#define BACTRIAN_MEMPROF_MEMPROF_H

#include "vm/code/prim.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether it was built (-Dmemprof): if not, there are no primitives, and nothing of it starts. */
extern const bool mp_is_present;
/* The profiler's primitives: Gc.Memprof of 4.13 and 4.14, and what module Bactrian.Memprof stands
 * on. For vm_options.profiler_rows. */
extern const struct vm_prim mp_prim_rows[];
extern const size_t mp_prim_row_count;

/* Bactrian.Profile's: the program enters a phase that it names, and leaves the innermost one.
 * Nothing without a recorder. GC: never. */
value mp_prim_enter_phase(struct domain *d, value name);
value mp_prim_leave_phase(struct domain *d, value unit);
/* Its units: a unit is its number; enter returns what leave wants. Without --profile they do
 * nothing. GC: may run, to raise. */
value mp_prim_counts_is_on(struct domain *d, value unit);
value mp_prim_counts_malloc(struct domain *d, value unit);
value mp_prim_counts_free(struct domain *d, value number);
value mp_prim_counts_write(struct domain *d, value number, value path);
value mp_prim_counts_enter(struct domain *d, value number);
value mp_prim_counts_leave(struct domain *d, value aside);

#endif
