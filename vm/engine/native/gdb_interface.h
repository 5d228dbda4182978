/* gdb_interface.h - gdb's interface for machine code that is made at run time: a list of ELF files
 * in memory, in which gdb finds the name of a piece of code and how to unwind its frame.
 *
 * All functions have one rule: they leave the C stack as the stub `run` did (run.c), which pushed
 * native_kept and one more word. Only stubs push and pop. Frames of OCaml functions that wait are
 * not on the C stack: `ml-frames` shows them.
 */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_GDB_INTERFACE_H
#define BACTRIAN_VM_ENGINE_NATIVE_GDB_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

struct native_gdb_file;

/* Whether a debugger follows the process now. */
bool native_is_debugged(void);
/* Registers code with gdb and adds it to the list *files. pushed: 0, or, for a stub that machine
 * code calls, the bytes that it has on the C stack below its return address while it calls C. Does
 * nothing when out of memory. */
void native_gdb_add(struct native_gdb_file **files, const void *start, size_t bytes,
                    const char *name, unsigned pushed);
/* Removes the code at that address from the list, if it is there; NULL: all code. */
void native_gdb_remove(struct native_gdb_file **files, const void *start);

#endif
