/* self_calls.h - functions that call themselves have an entry for that, at which the arguments that
 * are used most are in registers only, as the variables of a loop are at its labels (loops.h). */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_SELF_CALLS_H
#define BACTRIAN_VM_ENGINE_NATIVE_SELF_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct native_compiler;

/* Sets c->has_self_entry, and the pins of the first row. GC: never, for all of them. */
void native_find_self_calls(struct native_compiler *c);
/* The code of the current row, a call of the function itself: its arguments, the top of the stack,
 * become the slots from `to` on. If these are not their own, a return frame goes below. */
void native_call_itself(struct native_compiler *c, uint32_t to);
/* Writes the arguments into their slots, at the entry. */
void native_spill_arguments(struct native_compiler *c);

#endif
