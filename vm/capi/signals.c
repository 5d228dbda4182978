/* signals.c - blocking sections, threads that C made, pending actions and the numbers of signals,
 * for stubs. */
#include "vm/capi/capi_internal.h"
#include "vm/stack/raise.h"
#include "vm/thread/pending.h"
#include "vm/thread/signal.h"
#include "vm/thread/thread.h"

#include <errno.h>

void caml_enter_blocking_section_no_pending(void) { caml_enter_blocking_section_hook(); }

/* A signal that comes between its test and the section's beginning must not wait for the end of
 * what may block for ever: so it is looked for again. */
void caml_enter_blocking_section(void) {
    struct domain *d = self();
    for (;;) {
        vm_value_or_raise(d, vm_run_signal_handlers_exn(d));
        caml_enter_blocking_section_hook();
        if (!vm_signals_due(d)) return;
        caml_leave_blocking_section_hook();
    }
}

void caml_leave_blocking_section(void) {
    int saved = errno;
    caml_leave_blocking_section_hook();
    errno = saved;
}

void caml_process_pending_actions(void) {
    struct domain *d = self();
    if (d->gc.action_requested) vm_process_pending(d);
}

value caml_process_pending_actions_exn(void) {
    struct domain *d = self();
    return d->gc.action_requested ? vm_process_pending_exn(d) : VAL_UNIT;
}

int caml_check_pending_actions(void) { return self()->gc.action_requested; }

int caml_convert_signal_number(int number) { return vm_signal_to_system(number); }
int caml_rev_convert_signal_number(int number) { return (int)vm_signal_to_ocaml(number); }

int caml_c_thread_register(void) { return vm_thread_register(self()->vm); }
int caml_c_thread_unregister(void) { return vm_thread_unregister(self()->vm); }
