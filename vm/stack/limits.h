/* limits.h - limits of a run: fuel, time, output.
 *
 * A run that reaches one is stopped: vm_run returns VM_STOPPED, no exception handler of the program
 * is called, and no more OCaml code runs. The backtrace of that moment is kept. (The limits of heap
 * and stack are in gc_params and vm_options: they raise exceptions that a program may catch.)
 *
 *   fuel     instructions, counted exactly: the same program with the same input stops at the same
 *            instruction. The counting loop runs the program, which is slower. Primitives whose
 *            work grows with their arguments charge for it (vm_charge_work, vm/state/vm.h). The
 *            process and its forked children share the fuel (vm/state/fuel.c).
 *   output   bytes written through channels and in the machine's own messages, by the process and
 *            its forked children together. Writes by C stubs are not counted, nor those of other
 *            programs that the program starts. A write reserves its bytes before it begins and
 *            gives back those that were not written, so that writers at the same time do not exceed
 *            the limit.
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

/* Sets the limits of the machine's options, and opens vm_err(vm). False: out of memory. GC:
 * never. */
bool vm_limits_start(struct vm *vm);
/* Frees their memory. Needs: nothing is written afterwards. GC: never. */
void vm_limits_free(struct vm *vm);

/* Requests a stop at the next poll. Any thread or signal handler may call it while the machine
 * exists. A program that waits in a system call stops when the call returns. GC: never. */
void vm_request_stop(struct vm *vm, enum vm_stop why);

/* Stops now if that was requested. Needs: S2. GC: never. */
void vm_stop_if_requested(struct domain *d);

/* Records a backtrace and ends the program. Needs: S2. GC: never. */
_Noreturn void vm_stop_now(struct domain *d, enum vm_stop why);

/* Stops now if no fuel is left: for primitives that may not terminate. Needs: S2. GC: never. */
void vm_stop_without_fuel(struct domain *d);

/* Reserves at most n bytes of output: how many may be written. Gives back n of them, which were not
 * written. The bytes left; UINT64_MAX: no limit. GC: never. */
size_t vm_output_reserve(struct vm *vm, size_t n);
void vm_output_give_back(struct vm *vm, size_t n);
uint64_t vm_output_left(const struct vm *vm);
/* Whether this process is to report its stop: with a limit that children share, one does for all.
 * GC: never. */
bool vm_limits_reports_stop(struct vm *vm);
/* After the last poll: if a message was cut since, the run counts as stopped. GC: never. */
void vm_output_check(struct vm *vm);

#endif
