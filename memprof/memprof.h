/* memprof.h - the profiler's interface for the rest of the binary; its rooms have headers of their
 * own (memprof/README.md). */
#ifndef BACTRIAN_MEMPROF_MEMPROF_H
#define BACTRIAN_MEMPROF_MEMPROF_H

#include "vm/code/prim.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the profiler was built (-Dmemprof). If not, there are no primitives, and nothing can be
 * started. */
extern const bool mp_is_present;
/* The profiler's primitives, for vm_options.profiler_rows: Gc.Memprof's of all versions, and those
 * of modules Bactrian.Memprof and Bactrian.Profile. */
extern const struct vm_prim mp_prim_rows[];
extern const size_t mp_prim_row_count;

#endif
