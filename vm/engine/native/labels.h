/* labels.h - the state at labels with several predecessors: all slots are in the frame, except
 * those that have registers there (loops.h), R_BASE is where it was at the function's entry, and A
 * is in R_A if it is used there. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_LABELS_H
#define BACTRIAN_VM_ENGINE_NATIVE_LABELS_H

#include <stdint.h>

struct native_compiler;

/* Changes the present state to that of the row's label. An exit during that leads to that row.
 * Facts about values are not valid afterwards. GC: never. */
void native_adapt(struct native_compiler *c, uint32_t row);
/* The state at the row's label becomes the present one. GC: never. */
void native_begin_label(struct native_compiler *c, uint32_t row);

#endif
