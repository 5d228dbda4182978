/* callees.h - which functions calls are expected to call.
 *
 * A callee is a guess: the closure that the caller's own closure, or a global, held when the caller
 * was compiled. Machine code compares the closure with that one, a weak word (gc/weak.h) in the
 * memory before the table of entries, since collections move and free closures. If it is another
 * one, late code makes the guards of any call. What replaces a closure's code forgets its word, so
 * a closure that is equal has the code that it had. A module's block is expected in a global in
 * the same way. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_CALLEES_H
#define BACTRIAN_VM_ENGINE_NATIVE_CALLEES_H

#include "vm/engine/native/compiler.h"

struct native_callee {
    value closure;
    uint32_t index; /* of its function, which takes as many arguments as the call gives */
    bool is_infix;
};

/* The number of arguments of a call; 0: it is not a call. */
uint32_t native_arguments_of_call(const struct vm_ir_row *row);
/* Finds the callees of the rows: sets c->callees and `callee` of the rows. env: the closure that
 * the function runs with, or an integer. GC: never. */
void native_find_callees(struct native_compiler *c, value env);
/* Of a row that has one. */
const struct native_callee *native_callee_of(const struct native_compiler *c, uint32_t row);
/* Before an inlined function: jumps out of line if A is not a closure of the callee of the row, and
 * returns the state there. */
const struct native_values *native_guard_callee(struct native_compiler *c);
/* Before a call: goes on if A is the expected closure; late code calls any other value. False, and
 * nothing is done: no closure is expected. */
bool native_expect_callee(struct native_compiler *c);
/* To the function of the expected closure, which is R_ENV, with n arguments. */
void native_enter_expected(struct native_compiler *c, uint32_t n);
/* The block in that register, a global's value, has field i. */
void native_need_global_field(struct native_compiler *c, int reg, uint32_t global, uint32_t i);
/* Late code, where a guard failed. */
void native_put_other_callee(struct native_compiler *c, const struct native_late *late);
void native_put_other_global(struct native_compiler *c, const struct native_late *late);

#endif
