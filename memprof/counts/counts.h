/* counts.h - units of profiling data, as MLton.Profile has them: exact counts for each function.
 *
 * One kind of event is counted for each function of the program: ticks of the CPU clock, bytes
 * allocated, or entries. The program may keep several units of such counts and choose which one
 * the events go to; the one that is current at the end is written to mlmon.out. The layout of that
 * file, and of the sources file beside it that holds the functions' names, is MLton's.
 *
 * MU1  Every event is counted once, for the function that runs (vm/code/function_id.h, PL1), in
 * the unit that is current; what the collector does is counted apart. MU2  With stacks, an event is
 * also counted once for each function that is on the stack, however often it is there, in frames
 * younger than the one that made the unit current. MU3  A child process never writes its parent's
 * mlmon.out. MU4  Tables, counts and the clock of events change in turns: the machine's, and those
 * of handlers of ticks, in whatever thread. What is written was read in a turn, or by the process's
 * last act after one, so a file's sums are right at every moment that a signal may choose. */
#ifndef BACTRIAN_MEMPROF_COUNTS_COUNTS_H
#define BACTRIAN_MEMPROF_COUNTS_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct vm;
struct mp_counts;

enum mp_counts_kind { MP_COUNTS_OFF, MP_COUNTS_TIME, MP_COUNTS_ALLOC, MP_COUNTS_COUNT };

/* The file at the end of the program, and what follows the name of the sources file beside it. */
#define MP_COUNTS_FILE    "mlmon.out"
#define MP_COUNTS_SOURCES ".sources"

/* What a program's mlmon.out is known by: of the MD5 of its code. */
uint32_t mp_counts_magic(const uint8_t digest[16]);

/* Starts counting in a machine that is loaded, with vm_options.track_functions, and has not run;
 * makes its mlmon.out, still without counts, in the current folder. NULL: that could not be
 * written, or memory is exhausted (errno). GC: never. */
struct mp_counts *mp_counts_start(struct vm *vm, enum mp_counts_kind kind, bool stacks);
/* The program is over: stops counting, writes mlmon.out (but in a child process, MU3), frees
 * everything. Called before vm_destroy. Returns 0 or an errno. GC: never. */
int mp_counts_finish(struct mp_counts *u);
/* The machine's units, or NULL. GC: never. */
struct mp_counts *mp_counts_of(struct vm *vm);
/* At the machine's polls: credits ticks to the stack. GC: never. */
void mp_counts_poll(struct mp_counts *u);

#endif
