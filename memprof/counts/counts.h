/* counts.h - exact counts for each function, as MLton.Profile has them (--profile).
 *
 * One kind of event is counted for each function of the program: ticks of the CPU clock, bytes
 * allocated, or entries. The program may keep several sets of counts (MLton's data) and choose
 * which one is current; the set that is current at the end is written to mlmon.out. That file and
 * the sources file beside it, which has the functions' names, have MLton's layout.
 *
 * MU1  Every event is counted once, for the running function (vm/code/function_id.h, PL1), in the
 *      current set; the collector's work is counted separately.
 * MU2  With stacks, an event is also counted once for each function on the stack, however often it
 *      is there, in frames younger than the one that made the set current.
 * MU3  A child process never writes its parent's mlmon.out.
 * MU4  Tables, counts and the event clock change under one lock, which the machine takes and, in
 * any thread, handlers of ticks. What is written was read under the lock, or after it when the
 * process ends, so a file's sums are correct whenever a signal arrives. */
#ifndef BACTRIAN_MEMPROF_COUNTS_COUNTS_H
#define BACTRIAN_MEMPROF_COUNTS_COUNTS_H

#include "gc/value.h"

#include <stdbool.h>
#include <stdint.h>

struct vm;
struct domain;
struct mp_counts;

enum mp_counts_kind { MP_COUNTS_OFF, MP_COUNTS_TIME, MP_COUNTS_ALLOC, MP_COUNTS_COUNT };

/* The file written at the end, and what its name is extended by for the sources file. */
#define MP_COUNTS_FILE    "mlmon.out"
#define MP_COUNTS_SOURCES ".sources"

/* Identifies the program of an mlmon.out: the start of the MD5 of the program's code. */
static inline uint32_t mp_counts_magic(const uint8_t digest[16]) {
    return (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 |
           digest[3];
}

/* Starts counting in a machine that is loaded, with vm_options.track_functions, and has not run;
 * creates mlmon.out, still without counts, in the working directory. Fails: NULL with errno. GC:
 * never. */
struct mp_counts *mp_counts_start(struct vm *vm, enum mp_counts_kind kind, bool stacks);
/* The program is over: stops counting, writes mlmon.out (except in a child process, MU3) and frees
 * everything. Called before vm_destroy. Returns 0 or an errno. GC: never. */
int mp_counts_finish(struct mp_counts *c);
/* The machine's counts, or NULL. GC: never. */
struct mp_counts *mp_counts_of(struct vm *vm);

/* Bactrian.Profile's primitives. A set of counts is a number; enter makes one current and returns
 * the depth at which leave finds the one before. Without --profile they do nothing. GC: may run, to
 * raise. */
value mp_prim_counts_is_on(struct domain *d, value unit);
value mp_prim_counts_malloc(struct domain *d, value unit);
value mp_prim_counts_free(struct domain *d, value number);
value mp_prim_counts_write(struct domain *d, value number, value path);
value mp_prim_counts_enter(struct domain *d, value number);
value mp_prim_counts_leave(struct domain *d, value depth);

#endif
