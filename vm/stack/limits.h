/* limits.h - limits of a run: fuel, time, output.
 *
 * A run that reaches one is stopped: vm_run returns VM_STOPPED, no handler of the program sees it,
 * and no OCaml code runs any more. The backtrace of that moment is kept. (The limits of heap and
 * stack are in gc_params and vm_options: they raise exceptions that a program may catch.)
 *
 *   fuel     instructions, counted exactly: the same program with the same input stops at the same
 *            instruction. The counting loop runs the program, which is slower. Primitives that may
 *            run without end charge for their work (vm_limits_charge).
 *   output   bytes written through channels; writes by C stubs are not counted.
 *   time     and other reasons: another thread calls vm_request_stop. */
#ifndef BACTRIAN_VM_STACK_LIMITS_H
#define BACTRIAN_VM_STACK_LIMITS_H

#include "vm/state/vm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct domain;
struct vm;

/* The exit status of a stopped run, as of timeout(1). */
enum { VM_STATUS_STOPPED = 124 };

/* Sets the limits of the machine's options. GC: never. */
void vm_limits_start(struct vm *vm);

/* Requests a stop at the next poll. Any thread or signal handler may call it while the machine
 * exists. A program that waits in a system call stops when the call returns. GC: never. */
void vm_request_stop(struct vm *vm, enum vm_stop why);

/* Stops now if that was requested. Needs: S2. GC: never. */
void vm_stop_if_requested(struct domain *d);

/* Records a backtrace and ends the program. Needs: S2. GC: never. */
_Noreturn void vm_stop_now(struct domain *d, enum vm_stop why);

/* Takes fuel for work other than instructions; stops the run if less is left. Needs: S2.
 * GC: never. */
void vm_limits_charge(struct domain *d, uint64_t fuel);

/* How many of n bytes may still be written; and that n were written. GC: never. */
size_t vm_output_allowed(const struct vm *vm, size_t n);
void vm_output_written(struct vm *vm, size_t n);

#endif
