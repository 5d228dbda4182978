/* signal.h - signals of the operating system as OCaml programs see them.
 *
 * The C handler only records the signal and asks the receiving domain for an action; the OCaml
 * handler runs at that domain's next safe point (vm/thread/pending.h). Signals have OCaml's numbers
 * (-1: SIGABRT, ...) towards the program and the system's numbers here; numbers without a name in
 * OCaml are the same for both.
 *
 * SG1  While an OCaml handler runs, its own signal is blocked; afterwards, whether it returned or
 *      raised, the mask is what it was before.
 * SG2  A recorded signal is forgotten only when its handler is about to be called. */
#ifndef BACTRIAN_VM_THREAD_SIGNAL_H
#define BACTRIAN_VM_THREAD_SIGNAL_H

#include "gc/value.h"

struct domain;
struct vm;

enum vm_signal_action {
    VM_SIGNAL_DEFAULT,
    VM_SIGNAL_IGNORE,
    VM_SIGNAL_HANDLE,
    VM_SIGNAL_REFUSED, /* only as a result: errno says why */
};

/* The system's number of an OCaml one, and back. GC: never. */
int vm_signal_to_system(const struct vm *vm, intptr_t ocaml_number);
intptr_t vm_signal_to_ocaml(const struct vm *vm, int number);
/* Whether the system has that signal. GC: never. */
bool vm_signal_exists(int number);

/* Sets what a signal does and returns what it did before; handler: the closure for
 * VM_SIGNAL_HANDLE, else VAL_UNIT. *old_handler: the closure that was installed, or VAL_UNIT.
 * d receives this and all other signals from now on. Needs: vm_signal_exists(number). GC: may run
 * (the first time). Fails: VM_SIGNAL_REFUSED. */
enum vm_signal_action vm_signal_set(struct domain *d, int number, enum vm_signal_action action,
                                    value handler, value *old_handler);

/* Calls the OCaml handlers of all recorded signals that aren't blocked. Returns VAL_UNIT, or the
 * exception of one as exn_result (the rest stays recorded). GC: may run, and any OCaml code. */
value vm_run_signal_handlers_exn(struct domain *d);

/* Calls the OCaml handler of one signal now, if there is one; as above. */
value vm_signal_run_handler_exn(struct domain *d, int number);
/* Sets what a signal does, the OCaml handlers staying as they are. As vm_signal_set. */
enum vm_signal_action vm_signal_set_action(struct domain *d, int number,
                                           enum vm_signal_action action);

/* Records a signal as if the system had sent it. Async-signal-safe. */
void vm_signal_record(int number);

/* Whether a recorded signal waits that isn't blocked. GC: never. */
bool vm_signals_pending(const struct domain *d);
/* Runs the pending handlers, before what may take long: a signal must not wait for its end.
 * GC: may run. Fails: raises what a handler raised. */
void vm_run_pending_signal_handlers(struct domain *d);
/* Gives the signals of d's machine back to the system; its heap still exists. If the process ends
 * with the machine, those that the program handled are ignored from now on: the program has ended
 * normally, whatever its timers and other processes still send. GC: never. */
void vm_signals_detach(struct domain *d);

#endif
