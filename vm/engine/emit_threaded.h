/* emit_threaded.h - direct-threaded code, the words of the loop, from a function's intermediate
 * form. */
#ifndef BACTRIAN_VM_ENGINE_EMIT_THREADED_H
#define BACTRIAN_VM_ENGINE_EMIT_THREADED_H

#include "vm/code/ir.h"
#include "vm/state/vm.h"

struct vm_code;

/* What a function's code is made from. */
struct vm_emission {
    struct vm *vm;
    struct vm_code *code;
    const struct vm_ir *ir;
    uint32_t fragment;    /* index of code */
    bool runs_once;       /* the code at word 0: only its loops are fused */
    bool is_piece;        /* of that code: no loop of it becomes machine code */
    bool goes_on;         /* the last row stands for the next piece */
    uint32_t function_id; /* calls are recorded with this; 0: they are not */
};

/* An upper bound of its words. */
size_t vm_threaded_words(const struct vm_emission *e);
/* Writes them to out, and the offset of each row's first word to offsets. Returns their number. GC:
 * never. Fails: when out of memory, fatally. */
uint32_t vm_emit_threaded(const struct vm_emission *e, uintptr_t *out, uint32_t *offsets);
/* The addresses of the bodies, by instruction, in the loop that the machine's options select. */
const void *const *vm_loop_bodies(const struct vm *vm);

#endif
