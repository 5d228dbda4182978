/* fuse.h - several instructions done by one body of the loop. */
#ifndef BACTRIAN_VM_ENGINE_FUSE_H
#define BACTRIAN_VM_ENGINE_FUSE_H

#include "vm/code/opcodes.h"

enum { LONGEST_FORM = 4, FUSE_HASHES = 4096 };

/* The instruction of which one of the loop's is a variant, or a variant's variant; or itself. */
extern const uint16_t vm_roots[ENGINE_COUNT];
/* Whether a fused form begins with variants of these two, by a hash of their roots. */
extern const uint8_t vm_forms_begin[FUSE_HASHES];
#define FUSE_HASH(first, second) (((first)*67 + (second)) % FUSE_HASHES)

/* Whether a fused form may begin with these two instructions of the loop. GC: never. */
static inline bool vm_may_fuse(unsigned first, unsigned second) {
    return vm_forms_begin[FUSE_HASH(vm_roots[first], vm_roots[second])];
}
/* The fused form (engine.def) that does the most of the first of these instructions of the loop,
 * each of which lies right after the one before; ops[0] where there is none. *length: how many it
 * does. Needs: 0 < n <= LONGEST_FORM. GC: never. */
unsigned vm_fuse(const uint16_t *ops, unsigned n, unsigned *length);

#endif
