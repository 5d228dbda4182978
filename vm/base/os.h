/* os.h - what vm/ asks of the operating system: reserved areas, and an end when nothing else is
 * left. */
#ifndef BACTRIAN_VM_BASE_OS_H
#define BACTRIAN_VM_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reserves *bytes of zeroed memory that costs nothing until touched; halves *bytes, down to least,
 * while the system refuses. NULL: refused. */
void *vm_reserve(size_t *bytes, size_t least);
void vm_release(void *start, size_t bytes);
/* Gives the memory of a reserved area back; it reads as zero afterwards. */
void vm_discard(void *start, size_t bytes);

/* A word, not 0, that reads 0 in a child process until it is written there. NULL: no memory. */
volatile uint32_t *vm_fork_witness(void);
void vm_fork_witness_free(volatile uint32_t *witness);

/* The address below which the calling thread's C stack has no room for callbacks any more: what is
 * left there is for the primitives. 0: not known. May read a file. */
uintptr_t vm_c_stack_low(void);
/* Of a new thread. */
#define VM_C_STACK_BYTES ((size_t)8 << 20)

/* Makes room for an element of size bytes after count of them, by doubling. False: no memory, or
 * there would be more than 2^31. */
bool vm_grow(void **items, size_t count, size_t *capacity, size_t size);
/* p, or the fatal error for exhausted memory if it is NULL. For the machine's own small tables,
 * whose loss leaves no way on. */
void *vm_must(void *p);
/* Prints `Fatal error: TEXT` and ends the process with status 2, or goes to the thread's catcher
 * (gc/fatal.h). */
_Noreturn void vm_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Unless holds, prints what invariant is violated and aborts: for --gc-verify. GC: never. */
void vm_require(bool holds, const char *what);
/* open(2) of a file that exists, once more whenever a signal interrupts it (network file systems do
 * so). GC: never.  Fails: -1, errno says why. */
int vm_open_file(const char *path, int flags);

/* Closes a stream of open_memstream that writes to *text. False if memory was short and something
 * is missing; *text is to be freed in any case. GC: never. */
bool vm_close_text(FILE *out, char **text);

#endif
