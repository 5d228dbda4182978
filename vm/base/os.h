/* os.h - the operating system: reserved address space, the C stack, the clock, fatal errors,
 * files. */
#ifndef BACTRIAN_VM_BASE_OS_H
#define BACTRIAN_VM_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reserves *bytes of zeroed memory, which costs nothing until touched; halves *bytes, down to
 * least, while the system refuses. Fails: NULL. */
void *vm_reserve(size_t *bytes, size_t least);
/* The same, in the lowest 2 GB, if there is room: such an address is a constant of four bytes. */
void *vm_reserve_low(size_t *bytes, size_t least);
void vm_release(void *start, size_t bytes);
/* Returns the pages within that memory to the operating system. When they are touched again they
 * are zeroed, or those of a file read again. */
void vm_drop_pages(const void *start, size_t bytes);
/* Returns pages of vm_reserve to the operating system; they are zeroed memory. valgrind knows that
 * of pages that are mapped, not of those that are dropped. */
void vm_renew_pages(void *start, size_t bytes);

/* A zeroed page that is zeroed again in a child process. NULL: out of memory. GC: never. */
void *vm_unforked_page(void);
/* A zeroed page that a process and its children share. NULL: out of memory. GC: never. */
void *vm_shared_page(void);
/* Frees either; NULL is ignored. */
void vm_page_free(volatile void *page);

/* The address below which the calling thread's C stack has no room for callbacks, only for
 * primitives. 0: unknown. May read a file. */
uintptr_t vm_c_stack_low(void);
/* Of a new thread. */
#define VM_C_STACK_BYTES ((size_t)8 << 20)

/* Nanoseconds of the system's monotonic clock. Async-signal-safe. GC: never. */
uint64_t vm_now_ns(void);

/* p, or a fatal error if it is NULL. For the machine's own small tables, without which it cannot
 * continue. */
void *vm_must(void *p);
/* A fatal error if `grown` is false: a table could not grow. */
void vm_must_have(bool grown);
/* Prints `Fatal error: TEXT` and ends the process with status 2, or goes to the thread's catcher
 * (gc/fatal.h). */
_Noreturn void vm_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* If `holds` is false, prints the violated invariant and aborts: for --gc-verify. GC: never. */
void vm_require(bool holds, const char *what);
/* open(2) of an existing file, repeated when a signal interrupts it (on network file systems).
 * GC: never. Fails: -1, errno says why. */
int vm_open_file(const char *path, int flags);

/* Duplicates a descriptor to a high number, so that those that the program opens have the usual
 * ones. Fails: -1, errno says why. GC: never. */
int vm_duplicate_high(int fd);

/* The same, and closes fd. Fails: returns fd. GC: never. */
int vm_move_high(int fd);

/* Closes a stream of open_memstream that writes to *text. Fails: false, out of memory, the text is
 * incomplete. The caller frees *text in any case. GC: never. */
bool vm_close_text(FILE *out, char **text);

#endif
