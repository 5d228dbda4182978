/* enter.c - calls into a machine: outcomes, and the stub lock.
 *
 *   outermost call:  stub lock -> gc_catch -> vm_perform -> f ... primitive of the embedder
 *                                                                     |
 *   nested call:                  gc_catch -> vm_perform -> f  <------+
 *
 * When the program ends inside a nested call, control must not jump over the frame of the
 * primitive: the nested call returns, and the outer one ends when the primitive returns
 * (unwinding).
 *
 * Machines with C stubs share Caml_state, so only one of them may be inside a call: the holder of
 * the stub lock. It is not a mutex, since the thread that opens the first library, and so acquires
 * it, need not be the one that ends the call. */
#include "gc/fatal.h"
#include "vm/base/os.h"
#include "vm/capi/abi.h"
#include "vm/embed/embed_internal.h"
#include "vm/engine/callback.h"
#include "vm/machine/machine.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/limits.h"
#include "vm/thread/thread.h"

#include <stdarg.h>
#include <stdlib.h>

static pthread_mutex_t stub_lock_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stub_lock_released = PTHREAD_COND_INITIALIZER;
static struct bactrian *stub_lock_holder; /* protected by stub_lock_mutex */

/* ---- Failures. ---- */

enum bactrian_outcome embed_fail(struct bactrian *m, enum bactrian_outcome outcome,
                                 const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->text, sizeof m->text, format, arguments);
    va_end(arguments);
    return outcome;
}

const char *bactrian_error_text(const struct bactrian *m) { return m->text; }

/* Keeps the error text: it says what ended the machine, or belongs to the running call. */
enum bactrian_outcome embed_state(const struct bactrian *m) {
    if (!m->usable) return BACTRIAN_REFUSED;
    if (m->broken) return BACTRIAN_BROKEN;
    return m->exited ? BACTRIAN_EXITED : m->unwinding;
}

/* ---- The stub lock (EM3). ---- */

static struct vm_abi_state *state_of(struct bactrian *m) {
    return m == NULL ? NULL : &m->vm->domain->abi;
}

static void acquire_stub_lock(struct bactrian *m) {
    ASSERT(m->inside && !m->holds_stub_lock);
    pthread_mutex_lock(&stub_lock_mutex);
    /* A primitive of the holder that calls another machine must not wait for itself. */
    while (stub_lock_holder != NULL && !pthread_equal(stub_lock_holder->thread, m->thread))
        pthread_cond_wait(&stub_lock_released, &stub_lock_mutex);
    m->outer_holder = stub_lock_holder;
    m->holds_stub_lock = true;
    stub_lock_holder = m;
    pthread_mutex_unlock(&stub_lock_mutex);
    capi_show(m->vm->abi_attached ? state_of(m) : NULL);
}

static void release_stub_lock(struct bactrian *m) {
    if (!m->holds_stub_lock) return;
    capi_show(state_of(m->outer_holder));
    pthread_mutex_lock(&stub_lock_mutex);
    ASSERT(stub_lock_holder == m);
    stub_lock_holder = m->outer_holder;
    m->holds_stub_lock = false;
    if (stub_lock_holder == NULL) pthread_cond_signal(&stub_lock_released);
    pthread_mutex_unlock(&stub_lock_mutex);
}

/* The machine opens its first library. */
static const char *attach(struct domain *d) {
    struct bactrian *m = d->vm->options.end_context;
    if (!m->holds_stub_lock) acquire_stub_lock(m);
    return capi_abi.attach(d);
}

static void thread_entered(struct domain *d) { capi_abi.thread_entered(d); }
static void globals_changed(struct domain *d) { capi_abi.globals_changed(d); }
static void notice(struct domain *d, enum vm_abi_moment moment) { capi_abi.notice(d, moment); }
static void detach(struct domain *d) { capi_abi.detach(d); }

const struct vm_abi embed_abi = {.attach = attach,
                                 .thread_entered = thread_entered,
                                 .globals_changed = globals_changed,
                                 .notice = notice,
                                 .detach = detach};

/* ---- Calls. ---- */

static void enter(struct bactrian *m) {
    ASSERT(!m->inside);
    m->thread = pthread_self();
    m->inside = true;
    if (m->vm == NULL) return;
    if (m->vm->abi_attached) acquire_stub_lock(m);
    vm_thread_adopt_main(m->vm);
    m->vm->limits.stopped = STOP_NONE;
}

static void leave(struct bactrian *m) {
    ASSERT(m->inside);
    m->inside = false;
    release_stub_lock(m);
    fflush(m->err);
}

static enum bactrian_outcome stopped(struct bactrian *m) {
    static const char *const by[] = {
        [STOP_FUEL] = "out of fuel",
        [STOP_TIME] = "as requested",
        [STOP_OUTPUT] = "output limit reached",
    };
    struct vm_limits *limits = &m->vm->limits;
    ASSERT(limits->stopped != STOP_NONE);
    if (limits->stopped != STOP_FUEL) limits->requested = STOP_NONE;
    m->backtrace_kind = 's';
    return embed_fail(m, BACTRIAN_STOPPED, "stopped: %s", by[limits->stopped]);
}

static enum bactrian_outcome raised(struct bactrian *m, value exn) {
    char text[400];
    m->exception = exn;
    vm_format_exception(m->vm, exn, text, sizeof text);
    m->backtrace_kind = 'r';
    return embed_fail(m, BACTRIAN_EXCEPTION, "uncaught exception %s", text);
}

static enum bactrian_outcome outcome_of(struct bactrian *m, struct vm_result result) {
    switch (result.outcome) {
    case VM_RETURNED: return BACTRIAN_OK;
    case VM_UNCAUGHT: return raised(m, result.exn);
    case VM_STOPPED: return stopped(m);
    default:
        return embed_fail(m, BACTRIAN_EXITED, "the program called exit with status %d",
                          result.exit_status);
    }
}

bool embed_guard(struct bactrian *m, void (*f)(struct bactrian *m, void *context), void *context) {
    struct gc_catcher catcher;
    enter(m);
    m->usable = false;
    if (_setjmp(catcher.escape) == 0) {
        gc_catch(&catcher);
        f(m, context);
        gc_uncatch(&catcher);
    } else {
        m->broken = true;
        embed_fail(m, BACTRIAN_BROKEN, "%s", catcher.text);
    }
    m->usable = true;
    leave(m);
    return !m->broken;
}

enum bactrian_outcome embed_perform(struct bactrian *m, value (*f)(struct domain *d, void *context),
                                    void *context, value *out) {
    if (embed_state(m) != BACTRIAN_OK) return embed_state(m);
    bool outermost = !m->inside;
    struct scope *scope = m->scope;
    struct gc_catcher catcher;
    enum bactrian_outcome outcome;
    if (outermost) enter(m);
    m->usable = false;
    if (_setjmp(catcher.escape) == 0) {
        gc_catch(&catcher);
        outcome = outcome_of(m, f == NULL ? vm_run(m->vm) : vm_perform(m->vm, f, context, out));
        gc_uncatch(&catcher);
    } else {
        m->broken = true;
        outcome = embed_fail(m, BACTRIAN_BROKEN, "%s", catcher.text);
    }
    m->scope = scope;
    m->usable = true;
    if (outermost) {
        m->exited = outcome == BACTRIAN_EXITED;
        m->unwinding = BACTRIAN_OK;
        leave(m);
    } else if (outcome == BACTRIAN_EXITED || outcome == BACTRIAN_STOPPED) {
        m->unwinding = outcome;
    }
    return outcome;
}

/* ---- The last outcome. ---- */

struct bactrian_value *bactrian_exception(struct bactrian *m) {
    if (!m->usable) return NULL;
    if (is_int(m->exception)) {
        embed_fail(m, BACTRIAN_REFUSED, "there is no exception");
        return NULL;
    }
    return embed_handle(m, m->exception);
}

int bactrian_exit_status(const struct bactrian *m) { return m->vm->exit_status; }

size_t bactrian_backtrace(struct bactrian *m, char *text, size_t size) {
    char *whole = NULL;
    size_t length = 0;
    FILE *out = m->usable && m->backtrace_kind != 0 ? open_memstream(&whole, &length) : NULL;
    if (out != NULL) {
        vm_backtrace_print(m->vm->domain, m->backtrace_kind == 's', out);
        if (!vm_close_text(out, &whole)) length = 0;
    }
    if (size > 0) snprintf(text, size, "%s", length == 0 ? "" : whole);
    free(whole);
    return length;
}

void bactrian_request_stop(struct bactrian *m) { vm_request_stop(m->vm, STOP_TIME); }

enum bactrian_outcome bactrian_set_fuel(struct bactrian *m, uint64_t fuel) {
    if (!m->usable) return BACTRIAN_REFUSED;
    if (m->vm->options.fuel == 0)
        return embed_fail(m, BACTRIAN_REFUSED, "the machine was opened without fuel");
    *m->vm->limits.fuel_left = 0;
    m->vm->limits.shared->fuel_left = fuel;
    return BACTRIAN_OK;
}
