/* fuse.h - several instructions done by one body of the loop. */
#ifndef BACTRIAN_VM_ENGINE_FUSE_H
#define BACTRIAN_VM_ENGINE_FUSE_H

#include <stdbool.h>
#include <stdint.h>

enum { LONGEST_FORM = 4 };

/* Whether a fused form begins with that instruction of the loop. */
bool vm_begins_form(unsigned op);
/* The fused form (engine.def) that does the most of the first of these instructions of the loop,
 * each of which lies right after the one before; ops[0] where there is none. *length: how many it
 * does. Needs: 0 < n <= LONGEST_FORM. */
unsigned vm_fuse(const uint16_t *ops, unsigned n, unsigned *length);

#endif
