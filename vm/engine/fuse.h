/* fuse.h - several instructions done by one body of the loop. */
#ifndef BACTRIAN_VM_ENGINE_FUSE_H
#define BACTRIAN_VM_ENGINE_FUSE_H

#include <stdint.h>

enum { LONGEST_FORM = 4 };

/* The fused form (engine.def) that does the most of the first of these instructions of the loop,
 * each of which lies right after the one before; ops[0] where there is none. Needs: n > 0. */
unsigned vm_fuse(const uint16_t *ops, unsigned n);

#endif
