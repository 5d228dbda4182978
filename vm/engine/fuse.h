/* fuse.h - finds the fused form (engine.def) that executes several consecutive instructions, with
 * an automaton whose states are numbers; 0: none.
 *
 *     for (s = vm_form_begin[first]; s != 0; s = vm_form_next(s, next)) ... vm_form_of[s] ...
 *
 * fused_forms.py makes the tables. */
#ifndef BACTRIAN_VM_ENGINE_FUSE_H
#define BACTRIAN_VM_ENGINE_FUSE_H

#include "vm/code/opcodes.h"

enum { LONGEST_FORM = 4 };

struct vm_form_step {
    uint16_t from, to;
};
/* By instruction of the loop: the state after it, when it is the first; 0: no form begins with
 * it. */
extern const uint16_t vm_form_begin[];
/* By state: the form for the instructions that were read; 0: they are a single one. */
extern const uint16_t vm_form_of[];

extern const uint8_t vm_form_class[];
extern const uint16_t vm_form_row[];
extern const struct vm_form_step vm_form_steps[];
/* The state after one more instruction; 0: no form has them all. GC: never. */
static inline unsigned vm_form_next(unsigned state, unsigned op) {
    struct vm_form_step step = vm_form_steps[vm_form_row[state] + vm_form_class[op]];
    return step.from == state ? step.to : 0;
}

#endif
