/* decoded.h - the decoded functions of a machine, by address. */
#ifndef BACTRIAN_VM_CODE_DECODED_H
#define BACTRIAN_VM_CODE_DECODED_H

#include "gc/containers.h"
#include "vm/base/arena.h"
#include "vm/code/ir.h"
#include "vm/code/pc_map.h"
#include "vm/state/resume.h"
#include "vm/state/vm.h"

/* The code of one decoded function. */
struct vm_decoded {
    const uintptr_t *words;
    uint32_t word_count;
    uint32_t function;           /* index */
    const struct vm_pc_map *pcs; /* of the words; NULL: not made yet */
};

/* All decoded code of a machine, in one reserved area: an address in it cannot be mistaken for
 * another kind of word, and binary search finds its function. */
struct vm_decoded_area {
    uintptr_t *words;
    size_t used, capacity; /* words */
    /* The functions decoded so far, by ascending address. */
    struct vm_decoded_vector VECTOR(struct vm_decoded) decoded;
    struct vm_arena maps; /* of the functions' pcs */
    /* Makes the pcs of a function. GC: never.  Fails: when out of memory, fatally. */
    void (*map_pcs)(struct vm *vm, struct vm_decoded *f);
    /* While a function is prepared: its form, and the offsets of its rows and jump labels. Kept
     * here, so that the next function reuses the memory. */
    struct vm_ir ir;
    struct vm_word_offsets VECTOR(uint32_t) offsets, jumps;
};

/* Adds a row for the next code in the area, to be filled in. GC: never.  Fails: when out of
 * memory, fatally. */
struct vm_decoded *vm_decoded_add(struct vm_decoded_area *area);
/* The decoded function that contains an address, which may be any word. NULL: none. GC: never. */
const struct vm_decoded *vm_find_decoded(const struct vm *vm, struct vm_resume at);
/* The instruction that the decoded word at an address belongs to. Needs: the address lies in f.
 * GC: never.  Fails: when out of memory, fatally, as it may have to make the map of f. */
struct vm_pc_row vm_decoded_row(struct vm *vm, const struct vm_decoded *f, struct vm_resume at);
/* The last instruction of f. GC, fails: as above. */
struct vm_pc_row vm_decoded_last_row(struct vm *vm, const struct vm_decoded *f);

#endif
