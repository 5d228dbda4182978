/* signal.c - see signal.h.
 *
 * A process has one set of signal dispositions, so what a C handler needs is process-wide too: the
 * signals that arrived (a bit each) and the domain that receives them. These two words are an
 * exception to the rule that no file has mutable data. The closures belong to the machine. */
#include "vm/thread/signal.h"

#include "vm/code/version.h"
#include "vm/engine/callback.h"
#include "vm/stack/raise.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIGNAL_LIMIT = 65 }; /* Linux has 1 to 64 */

/* The signals of a machine. */
struct vm_signals {
    value handlers;   /* array of closures by the system's number: a registered root */
    uint64_t handled; /* the signals whose disposition this machine set, a bit each */
};

/* The recorded signals: a bit each in the first word, as C stubs of 5.x see them, and a word each
 * in the others, as those of 4.x do. Neither reads a signal that exists in words of the other. */
_Atomic uint64_t caml_pending_signals[SIGNAL_LIMIT];
static _Atomic uint64_t *const recorded = &caml_pending_signals[0];
static struct domain *_Atomic receiver;

static uint64_t bit_of(int number) { return (uint64_t)1 << (number - 1); }

/* OCaml's number of names[i] is -1 - i; a version has the first named_signals of them. */
static const int names[] = {
    SIGABRT, SIGALRM, SIGFPE,  SIGHUP,  SIGILL,  SIGINT,  SIGKILL, SIGPIPE, SIGQUIT, SIGSEGV,
    SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGVTALRM,
    SIGPROF, SIGBUS,  SIGPOLL, SIGSYS,  SIGTRAP, SIGURG,  SIGXCPU, SIGXFSZ, SIGIO,   SIGWINCH};

int vm_signal_to_system(const struct vm *vm, intptr_t ocaml_number) {
    if (ocaml_number < 0 && ocaml_number >= -vm->version->named_signals)
        return names[-ocaml_number - 1];
    return (int)ocaml_number;
}

intptr_t vm_signal_to_ocaml(const struct vm *vm, int number) {
    for (int i = 0; i < vm->version->named_signals; i++)
        if (names[i] == number) return -i - 1;
    return number;
}

bool vm_signal_exists(int number) { return number >= 0 && number < SIGNAL_LIMIT; }

void vm_signal_record(int number) {
    atomic_store(&caml_pending_signals[number], 1);
    atomic_fetch_or(recorded, bit_of(number));
    struct domain *d = atomic_load(&receiver);
    if (d != NULL) gc_request_action(&d->gc);
}

static void on_signal(int number) {
    int saved = errno;
    vm_signal_record(number);
    errno = saved;
}

static struct vm_signals *signals_of(struct domain *d) {
    struct vm *vm = d->vm;
    if (vm->signals != NULL) return vm->signals;
    value handlers = gc_alloc(&d->gc, SIGNAL_LIMIT, 0);
    struct vm_signals *s = calloc(1, sizeof *s);
    if (s == NULL) vm_raise_out_of_memory(d);
    s->handlers = handlers;
    gc_register_root(&d->gc, &s->handlers);
    vm->signals = s;
    return s;
}

/* Sets the disposition; the old one goes to *old. */
static bool change_disposition(int number, enum vm_signal_action action, struct sigaction *old) {
    struct sigaction new = {.sa_flags = 0};
    new.sa_handler = action == VM_SIGNAL_DEFAULT  ? SIG_DFL
                     : action == VM_SIGNAL_IGNORE ? SIG_IGN
                                                  : on_signal;
    sigemptyset(&new.sa_mask);
    return sigaction(number, &new, old) == 0;
}

enum vm_signal_action vm_signal_set(struct domain *d, int number, enum vm_signal_action action,
                                    value handler, value *old_handler) {
    GC_ROOT(&d->gc, &handler);
    struct vm_signals *s = signals_of(d);
    struct sigaction old;
    *old_handler = VAL_UNIT;
    if (action == VM_SIGNAL_HANDLE) {
        atomic_store(&receiver, d);
        if (number > 0) *old_handler = field(s->handlers, number);
        /* Set first: the signal may arrive at once. The closure of a refused number is never
         * called. */
        gc_store(&d->gc, s->handlers, (size_t)number, handler);
    } else if (number > 0) {
        *old_handler = field(s->handlers, number);
    }
    if (!change_disposition(number, action, &old)) return VM_SIGNAL_REFUSED;
    uint64_t bit = bit_of(number);
    bool was_ours = (s->handled & bit) != 0 && old.sa_handler == on_signal;
    s->handled = action == VM_SIGNAL_HANDLE ? s->handled | bit : s->handled & ~bit;
    if (was_ours) return VM_SIGNAL_HANDLE;
    return old.sa_handler == SIG_IGN ? VM_SIGNAL_IGNORE : VM_SIGNAL_DEFAULT;
}

enum vm_signal_action vm_signal_set_action(struct domain *d, int number,
                                           enum vm_signal_action action) {
    struct vm_signals *s = d->vm->signals;
    value old, handler = s == NULL ? VAL_UNIT : field(s->handlers, number);
    return vm_signal_set(d, number, action, handler, &old);
}

static uint64_t mask_bits(void) {
    sigset_t mask;
    uint64_t bits = 0;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    for (int n = 1; n < SIGNAL_LIMIT; n++)
        if (sigismember(&mask, n) == 1) bits |= bit_of(n);
    return bits;
}

static value call_handler(struct domain *d, int number) {
    sigset_t own, before;
    sigemptyset(&own);
    sigaddset(&own, number);
    pthread_sigmask(SIG_BLOCK, &own, &before);
    value argument = val_of_int(vm_signal_to_ocaml(d->vm, number));
    value result = vm_callback_exn(d, field(d->vm->signals->handlers, number), 1, &argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

bool vm_signals_pending(const struct domain *d) {
    /* Only this: the caller may not hold the runtime lock (vm/thread/pending.h). */
    if (d != atomic_load(&receiver)) return false;
    uint64_t pending = atomic_load(recorded);
    return pending != 0 && (pending & ~mask_bits()) != 0;
}

value vm_signal_run_handler_exn(struct domain *d, int number) {
    struct vm_signals *s = d->vm->signals;
    bool handled = s != NULL && is_block(field(s->handlers, number));
    return handled ? call_handler(d, number) : VAL_UNIT;
}

/* One pass, so that a handler that sends its own signal again does not stop the program. */
value vm_run_signal_handlers_exn(struct domain *d) {
    struct vm_signals *s = d->vm->signals;
    if (s == NULL || d != atomic_load(&receiver)) return VAL_UNIT;
    uint64_t pending = atomic_load(recorded);
    value result = VAL_UNIT;
    for (; pending != 0 && !is_exn_result(result); pending &= pending - 1) {
        int number = __builtin_ctzll(pending) + 1;
        uint64_t bit = bit_of(number);
        if ((mask_bits() & bit) != 0) continue;
        atomic_store(&caml_pending_signals[number], 0);
        /* A handler that polls may have run the others. */
        if ((atomic_fetch_and(recorded, ~bit) & bit) == 0) continue;
        result = vm_signal_run_handler_exn(d, number);
    }
    if (vm_signals_pending(d)) gc_request_action(&d->gc);
    return is_exn_result(result) ? result : VAL_UNIT;
}

void vm_run_pending_signal_handlers(struct domain *d) {
    if (vm_signals_pending(d)) vm_value_or_raise(d, vm_run_signal_handlers_exn(d));
}

void vm_signals_detach(struct domain *d) {
    struct vm_signals *s = d->vm->signals;
    if (s == NULL) return;
    struct sigaction old;
    bool process_ends = d->vm->options.end_process != NULL;
    for (int n = 1; n < SIGNAL_LIMIT; n++) {
        if ((s->handled & bit_of(n)) == 0) continue;
        change_disposition(n, VM_SIGNAL_IGNORE, &old); /* drops one that waits */
        if (!process_ends) change_disposition(n, VM_SIGNAL_DEFAULT, &old);
    }
    struct domain *self = d;
    if (atomic_compare_exchange_strong(&receiver, &self, NULL)) atomic_store(recorded, 0);
    gc_remove_root(&d->gc, &s->handlers);
    free(s);
    d->vm->signals = NULL;
}
