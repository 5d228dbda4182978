/* observer.h - follows what becomes machine code: `bactrian trace`, perf, gdb. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_OBSERVER_H
#define BACTRIAN_VM_ENGINE_NATIVE_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm;

/* The machine code of a function. */
struct vm_native_code {
    uint32_t function; /* index */
    const uint8_t *runs_at;
    size_t bytes;
    bool loop; /* it was compiled because a loop ran often */
};

/* Called with the runtime lock held; must not allocate in the heap, raise or run OCaml code. */
struct vm_native_observer {
    void (*compiled)(void *context, struct vm *vm, const struct vm_native_code *code);
    void *context;
};

#endif
