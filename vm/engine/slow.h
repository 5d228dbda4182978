/* slow.h - the slow paths of instructions, called with the loop's registers saved (E2). */
#ifndef BACTRIAN_VM_ENGINE_SLOW_H
#define BACTRIAN_VM_ENGINE_SLOW_H

#include "vm/code/code.h"
#include "vm/code/prim.h"
#include "vm/state/domain.h"

/* The block of an allocating instruction; d->accu is preserved. May raise. GC: may run. */
value vm_slow_alloc(struct domain *d, size_t wosize, unsigned tag);
/* As vm_slow_alloc, for an instruction that can be re-executed. 0: it is to be re-executed after a
 * call, whose return frame and argument are pushed; d->accu is the closure to call. GC: may run. */
value vm_slow_alloc_or_reexecute(struct domain *d, size_t wosize, unsigned tag);
/* What vm_callbacks_exn does after a call: begins the next call and returns 0, or returns its
 * result. calls: its struct vm_calls, as an integer. sp: at the saved registers. GC: may run. */
value vm_slow_next_call(struct domain *d, value calls, value result);
/* The call before a re-executed instruction raised exn; sp is at its trap frame. */
_Noreturn void vm_slow_reexecute_failed(struct domain *d, value exn);
/* A poll; d->accu is preserved. May raise. GC: may run. */
void vm_slow_poll(struct domain *d);
/* The poll and stack check of a call, at the entry of a function whose arguments are on the
 * stack. */
void vm_slow_enter(struct domain *d, const struct vm_function *f);
/* Prepares a function that is entered, whose arguments are on the stack, and makes room for its
 * frame, whose size the call before did not know. Ends the run if the verifier refuses the code.
 * GC: never. */
void vm_slow_prepare(struct domain *d, const struct vm_function *f);
/* The counting loop has reached an instruction for which the process has not reserved fuel. Returns
 * whether it may continue: there is fuel, or a tracer (vm/engine/tracer.h). GC: never. */
bool vm_slow_count(struct domain *d, unsigned op, struct vm_resume at, const value *sp,
                   value extra_args);
/* The same for one that may store, with vm_options.trace_stores: calls the tracer. GC: never. */
void vm_slow_trace_store(struct domain *d, unsigned op, struct vm_resume at, const value *sp,
                         value extra_args);
/* Without fuel. */
_Noreturn void vm_slow_out_of_fuel(struct domain *d);
/* The counting loop raises exn: calls the tracer, and stops a debugged machine. GC: never. */
void vm_slow_unwind(struct domain *d, value exn);
/* The counting loop has reached an EVENT or a BREAK. Return the body of the original instruction.
 * GC: as vm_debug_stop. */
void *vm_slow_event(struct domain *d);
void *vm_slow_break(struct domain *d);
/* Partial application of env to extra_args + 1 arguments at the saved registers. */
value vm_slow_grab(struct domain *d, value restart, intptr_t extra_args);
value vm_slow_closure(struct domain *d, uintptr_t variables, value code, const value *from);
value vm_slow_closurerec(struct domain *d, const uintptr_t *operands, const value *from);
value vm_slow_make_block(struct domain *d, size_t wosize, unsigned tag, const value *rest);
value vm_slow_make_float_block(struct domain *d, size_t count, const value *rest);
/* The method of a public tag, whose index is cached in *cache; 0 if the value is not an object, its
 * table is invalid, or it has no such method. GC: never. */
value vm_slow_public_method(value object, value tag, uintptr_t *cache);
/* The instruction accesses d->accu, a block of another kind than it expects: executes it if that is
 * safe (vm/code/raw.h), pops its operands and leaves its result in d->accu; returns its length in
 * words. Otherwise raises as vm_slow_type_error does. GC: may run. */
size_t vm_slow_raw_access(struct domain *d);
/* Raises the exception for a kind of value that checked mode refuses. GC: may run. */
_Noreturn void vm_slow_type_error(struct domain *d);
/* The same for a result that is applied to the extra arguments of the call: the error is located at
 * the call, in either tier. */
_Noreturn void vm_slow_not_applicable(struct domain *d);
/* The arguments of a primitive, d->accu and what follows on the stack, are not all of its kinds:
 * converts those that can be read as such (vm/code/raw.h), or raises. GC: may run. */
void vm_slow_convert_arguments(struct domain *d, const struct vm_linked_prim *prim);
_Noreturn void vm_slow_missing_primitive(struct domain *d, const struct vm_linked_prim *prim);
void vm_slow_record_backtrace(struct domain *d, bool reraise);
/* Whether the row of the instruction that left the loop has one of these flags (vm/code/opcodes.h),
 * or it is an internal instruction; for assertions. GC: never. */
bool vm_slow_row_says(const struct domain *d, unsigned flags);
/* A function is entered from another caller than the last time. GC: never. */
void vm_slow_entered(struct domain *d, uint32_t function_id);

#endif
