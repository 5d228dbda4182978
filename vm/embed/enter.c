/* enter.c - the way into a machine and out of it: outcomes, and the turns of machines with stubs.
 *
 *   outermost call:  turn -> catcher -> vm_perform -> f ... primitive of the embedder
 *                                                              |
 *   call in a call:           catcher -> vm_perform -> f  <----+
 *
 * What ends the program inside of a call that a primitive made must not jump over the primitive: it
 * ends that call only, and the primitive's own return ends the outer one (leaving).
 *
 * The turn is the one word of a process that machines share. It is not a mutex, since a library may
 * be opened in another thread of the program than the one that ends the call. */
#include "gc/fatal.h"
#include "vm/base/os.h"
#include "vm/capi/abi.h"
#include "vm/embed/embed_internal.h"
#include "vm/engine/callback.h"
#include "vm/machine/machine.h"
#include "vm/machine/uncaught.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/limits.h"
#include "vm/thread/thread.h"

#include <stdarg.h>
#include <stdlib.h>

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_is_free = PTHREAD_COND_INITIALIZER;
static struct bactrian *turn_holder; /* under turn_lock */

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

bool embed_usable(const struct bactrian *m) { return embed_why_not(m) == BACTRIAN_OK; }

/* No text is noted: it says what ended the machine, or belongs to whoever has it. */
enum bactrian_outcome embed_why_not(const struct bactrian *m) {
    if (!m->allowed) return BACTRIAN_REFUSED;
    if (m->broken) return BACTRIAN_BROKEN;
    return m->over ? BACTRIAN_EXITED : m->leaving;
}

/* ---- Turns. ---- */

/* Needs: turn_lock. */
static void take_turn(struct bactrian *m) {
    /* A primitive of the holder that uses another machine can't wait for itself. */
    while (turn_holder != NULL && !pthread_equal(turn_holder->thread, m->thread))
        pthread_cond_wait(&turn_is_free, &turn_lock);
    m->turn_below = turn_holder;
    m->has_turn = true;
    turn_holder = m;
}

static struct vm_abi_state *state_of(struct bactrian *m) {
    return m == NULL ? NULL : &m->vm->domain->abi;
}

static void wait_for_turn(struct bactrian *m) {
    pthread_mutex_lock(&turn_lock);
    take_turn(m);
    pthread_mutex_unlock(&turn_lock);
    capi_show(m->vm->abi_attached ? state_of(m) : NULL);
}

static void end_turn(struct bactrian *m) {
    if (!m->has_turn) return;
    capi_show(state_of(m->turn_below));
    pthread_mutex_lock(&turn_lock);
    turn_holder = m->turn_below;
    m->has_turn = false;
    if (turn_holder == NULL) pthread_cond_signal(&turn_is_free);
    pthread_mutex_unlock(&turn_lock);
}

/* The machine opens its first library. */
static const char *attach(struct domain *d) {
    struct bactrian *m = d->vm->options.end_context;
    if (!m->has_turn) wait_for_turn(m);
    return capi_abi.attach(d);
}

static void detach(struct domain *d) { capi_abi.detach(d); }

const struct vm_abi embed_abi = {attach, detach};

/* ---- Calls. ---- */

static void enter(struct bactrian *m) {
    m->thread = pthread_self();
    m->inside = true;
    if (m->vm == NULL) return;
    if (m->vm->abi_attached) wait_for_turn(m);
    vm_thread_adopt_main(m->vm);
    m->vm->limits.stopped = STOP_NONE;
}

static void leave(struct bactrian *m) {
    m->inside = false;
    end_turn(m);
    fflush(m->err);
}

bool embed_guard(struct bactrian *m, void (*f)(struct bactrian *m, void *context), void *context) {
    struct gc_catcher catcher;
    enter(m);
    m->allowed = false;
    if (_setjmp(catcher.escape) == 0) {
        gc_catch(&catcher);
        f(m, context);
        gc_uncatch(&catcher);
    } else {
        m->broken = true;
        embed_fail(m, BACTRIAN_BROKEN, "%s", catcher.text);
    }
    m->allowed = true;
    leave(m);
    return !m->broken;
}

static enum bactrian_outcome stopped(struct bactrian *m) {
    static const char *const by[] = {
        [STOP_FUEL] = "its fuel is used up",
        [STOP_TIME] = "this was requested",
        [STOP_OUTPUT] = "its limit of output is reached",
    };
    struct vm_limits *limits = &m->vm->limits;
    if (limits->stopped == STOP_FUEL) limits->fuel_left = 0;
    if (limits->stopped == STOP_TIME) limits->requested = STOP_NONE;
    m->backtrace_kind = 's';
    return embed_fail(m, BACTRIAN_STOPPED, "stopped: %s", by[limits->stopped]);
}

static enum bactrian_outcome raised(struct bactrian *m, value exn) {
    char text[400];
    m->exception.v = exn;
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

enum bactrian_outcome embed_perform(struct bactrian *m, value (*f)(struct domain *d, void *context),
                                    void *context, value *out) {
    if (!embed_usable(m)) return embed_why_not(m);
    bool outermost = !m->inside;
    struct scope *scope = m->scope;
    struct gc_catcher catcher;
    if (outermost) enter(m);
    m->allowed = false;
    enum bactrian_outcome outcome;
    if (_setjmp(catcher.escape) == 0) {
        gc_catch(&catcher);
        outcome = outcome_of(m, f == NULL ? vm_run(m->vm) : vm_perform(m->vm, f, context, out));
        gc_uncatch(&catcher);
    } else {
        m->broken = true;
        outcome = embed_fail(m, BACTRIAN_BROKEN, "%s", catcher.text);
    }
    m->scope = scope;
    m->allowed = true;
    if (outermost) {
        m->over = outcome == BACTRIAN_EXITED;
        m->leaving = BACTRIAN_OK;
        leave(m);
    } else if (outcome == BACTRIAN_EXITED || outcome == BACTRIAN_STOPPED) {
        m->leaving = outcome;
    }
    return outcome;
}

/* ---- What became of it. ---- */

struct bactrian_value *bactrian_exception(struct bactrian *m) {
    if (!m->allowed) return NULL;
    if (is_int(m->exception.v)) {
        embed_fail(m, BACTRIAN_REFUSED, "there was no exception");
        return NULL;
    }
    return embed_handle(m, m->exception.v);
}

int bactrian_exit_status(const struct bactrian *m) { return m->vm->exit_status; }

size_t bactrian_backtrace(struct bactrian *m, char *text, size_t size) {
    char *whole = NULL;
    size_t length = 0;
    FILE *out = m->allowed && m->backtrace_kind != 0 ? open_memstream(&whole, &length) : NULL;
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
    if (!m->allowed) return BACTRIAN_REFUSED;
    if (m->vm->options.fuel == 0)
        return embed_fail(m, BACTRIAN_REFUSED, "the machine was opened without fuel");
    m->vm->limits.fuel_left = fuel;
    return BACTRIAN_OK;
}
