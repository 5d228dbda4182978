/* check_code.h - the verifier of machine code: checks each function before it runs, and the code
 * that functions share, with --gc-verify and in builds with assertions.
 *
 * N7  Code consists of instructions that encodings.def lists, and of the tables of its jumps.
 * N8  Control stays at instructions. What leads into a function (a jump of its own, a word of its
 *     tables, a cell, the word of a NATIVE) leads to an instruction; control leaves it by shared
 *     code, by calls of listed C functions, and by jumps through the table of entries or a cell
 *     that follow their comparison. An exit is one that was described for the function.
 * N9  A function does not change R_DOMAIN and R_TABLE, nor R_C_STACK except by pushes and pops; at
 *     calls, at jumps out of it and where it is entered nothing is pushed. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_CHECK_CODE_H
#define BACTRIAN_VM_ENGINE_NATIVE_CHECK_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct native_compiler;
struct vm;
struct vm_native;
struct vm_native_table;

/* Code to be checked. */
struct native_checked {
    const struct vm_native *native; /* shared code, exits */
    const uint8_t *written;
    ptrdiff_t run_offset;
    uint32_t bytes;
    bool shared;        /* not a function's: N9 and the forms of jumps in N8 do not hold */
    bool tests_indexes; /* before a jump by a table */
    bool pads;          /* NV6 */
    size_t first_exit;  /* of the function, a position among the exits */
    const struct vm_native_table *tables; /* by ascending offset */
    size_t table_count;
    const uint32_t *entries; /* offsets to which other code jumps */
    size_t entry_count;
    /* Whether that is the address of a C function that the code may call. */
    bool (*may_call)(const void *context, uintptr_t function);
    const void *context;
};

struct native_violation {
    const char *what; /* the invariant's id and what is wrong */
    uint32_t offset;
};

/* Whether the invariants hold. GC: never.  Fails: when out of memory, fatally. */
bool native_check_code(const struct native_checked *code, struct native_violation *violation);

/* Whether new code is checked. GC: never. */
bool native_checks_code(const struct vm *vm);
/* Aborts with a message, unless the code compiled by c is as it has to be. enter: for each row
 * where the loop enters, the code that it enters at; first_exit: the function's. GC: never.
 * Fails: when out of memory, fatally. */
void native_require_code(struct native_compiler *c, const uint8_t *const *enter, size_t first_exit);
/* The same for shared code. */
void native_require_shared_code(struct vm *vm);
/* ---- What shared code calls. ---- */
bool native_is_called_by_stubs(uintptr_t function);  /* run.c */
bool native_is_called_by_switch(uintptr_t function); /* switches.c */

#endif
