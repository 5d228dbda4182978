/* observer.h - by which `bactrian trace` and `dis --machine` are notified of compiled functions. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_OBSERVER_H
#define BACTRIAN_VM_ENGINE_NATIVE_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm;

/* Where the machine code of an instruction begins; out-of-line code follows that of the last
 * one. */
struct vm_native_row {
    uint32_t pc, offset; /* in the function's code, bytes */
};

/* A table of jumps: 32-bit distances from its start. */
struct vm_native_table {
    uint32_t offset, words; /* in the function's code, bytes; its length */
};

/* The machine code of a function. */
struct vm_native_code {
    uint32_t function; /* index */
    const uint8_t *runs_at;
    size_t bytes;
    bool loop; /* it was compiled because a loop ran often */
    const struct vm_native_row *rows;
    size_t row_count;
    uint32_t late_offset;                 /* of out-of-line code */
    const struct vm_native_table *tables; /* by ascending offset */
    size_t table_count;
};

/* Called with the runtime lock held; must not allocate in the heap, raise or run OCaml code. */
struct vm_native_observer {
    void (*compiled)(void *context, struct vm *vm, const struct vm_native_code *code);
    void *context;
};

#endif
