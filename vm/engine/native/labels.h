/* labels.h - the state at labels with several predecessors: all slots are in the frame, except
 * those that have registers there (loops.h), R_BASE is where it was at the function's entry, and A
 * is in R_A if it is used there. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_LABELS_H
#define BACTRIAN_VM_ENGINE_NATIVE_LABELS_H

#include <stdint.h>

struct native_compiler;
struct native_loop;

/* Changes the current state to that of the row's label. An exit during that leads to that row.
 * Facts about values are not valid afterwards. GC: never. */
void native_adapt(struct native_compiler *c, uint32_t row);
/* Moves values, by their slots at a label of the loop, into its registers: those are constants or
 * in registers. */
void native_move_to_pins(struct native_compiler *c, const struct native_loop *loop,
                         const uint16_t *values);
/* The state at the row's label becomes the current one. GC: never. */
void native_begin_label(struct native_compiler *c, uint32_t row);

#endif
