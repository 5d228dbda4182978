/* code_memory.h - memory for machine code, mapped twice.
 *
 *     written at    | stubs | function | function | free ...      readable, writable
 *     run_offset    |
 *     runs at       | stubs | function | function | free ...      readable, executable
 *
 * N2  No address is both writable and executable: code is written through one mapping and runs
 *     through the other. Nothing else that the program can open leads to the memory. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_CODE_MEMORY_H
#define BACTRIAN_VM_ENGINE_NATIVE_CODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The size of a machine's code memory; when it is full, no more functions are compiled. */
enum { CODE_MEMORY_BYTES = 64 << 20 };

struct code_memory {
    uint8_t *writable; /* NULL: none */
    const uint8_t *executable;
    size_t used;
    pid_t owner; /* a forked child shares the pages, so it must not write */
};

/* Maps the memory, whose pages are committed as they are used; anonymous: not as a memory file.
 * (perf needs that, valgrind does not support it.) GC: never. Fails: false, if the system forbids
 * one of the steps. */
bool code_memory_create(struct code_memory *m, bool anonymous);
void code_memory_destroy(struct code_memory *m);
/* What was written so far is read through the other mapping only: its pages need not count twice as
 * the process's memory. GC: never.  Fails: never. */
void code_memory_written(const struct code_memory *m);
/* Whether this process may add code. GC: never. */
bool code_memory_is_own(const struct code_memory *m);

#endif
