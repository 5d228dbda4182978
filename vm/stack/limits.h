/* limits.h - the ends that are set to a run from outside: fuel, time, output.
 *
 * A run that reaches one is stopped: vm_run returns VM_STOPPED, no handler of the program sees it
 * and no OCaml code runs any more. The places where it was are kept for a backtrace. (Limits of
 * heap and stack are gc_params and vm_options: they raise exceptions that a program may catch.)
 *
 *   fuel     instructions, counted exactly: the same program with the same input stops at the same
 *            instruction. The loop that counts runs the program, which is slower. Primitives that
 *            may have no end take some for themselves (vm_limits_charge).
 *   output   bytes that reach the system through channels; stubs of C code aren't counted.
 *   anything else, time above all: somebody calls vm_request_stop. */
#ifndef BACTRIAN_VM_STACK_LIMITS_H
#define BACTRIAN_VM_STACK_LIMITS_H

#include "vm/state/vm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct domain;
struct vm;

/* The exit status of a run that was stopped: timeout(1)'s. */
enum { VM_STATUS_STOPPED = 124 };
/* Sets what the machine's options say. GC: never. */
void vm_limits_start(struct vm *vm);

/* Asks the machine to stop at its next poll. Any thread and signal handlers may call it, as long as
 * the machine exists. A program that waits in a system call stops when that returns. GC: never. */
void vm_request_stop(struct vm *vm, enum vm_stop why);

/* Stops now if that was asked for. Needs: S2. GC: never. */
void vm_stop_if_requested(struct domain *d);

/* Keeps the places of the active calls and leaves the program. Needs: S2. GC: never. */
_Noreturn void vm_stop_now(struct domain *d, enum vm_stop why);

/* Takes fuel for work that is no instruction; stops the run if there is less left. Needs: S2. GC:
 * never. */
void vm_limits_charge(struct domain *d, uint64_t fuel);

/* How many of n bytes may still be written, and that n were. GC: never. */
size_t vm_output_allowed(const struct vm *vm, size_t n);
void vm_output_written(struct vm *vm, size_t n);

#endif
