/* pending.c - runs pending actions, in OCaml's order: GC work, signal handlers, a profiler's
 * callbacks, finalisers, then a yield to other threads (vm/thread/pending.h). */
#include "vm/thread/pending.h"

#include "gc/weak.h"
#include "vm/code/version.h"
#include "vm/engine/callback.h"
#include "vm/stack/limits.h"
#include "vm/stack/prim_watch.h"
#include "vm/stack/raise.h"
#include "vm/state/vm.h"
#include "vm/thread/signal.h"
#include "vm/thread/thread.h"

value vm_run_finalisers_exn(struct domain *d) {
    value f = VAL_UNIT, argument = VAL_UNIT, result = VAL_UNIT;
    if (d->record->finalising || !gc_finalisers_ready(&d->gc)) return VAL_UNIT;
    GC_ROOT(&d->gc, &f, &argument);
    vm_abi_notice(d, ABI_FINALISERS_BEGIN);
    d->record->finalising = true;
    while (!is_exn_result(result) && gc_next_finaliser(&d->gc, &f, &argument))
        result = vm_callback_exn(d, f, 1, &argument);
    d->record->finalising = false;
    if (is_exn_result(result)) return result;
    vm_abi_notice(d, ABI_FINALISERS_END);
    return VAL_UNIT;
}

void vm_release_finalisers(struct domain *d) { d->record->finalising = false; }

value vm_process_pending_exn(struct domain *d) {
    vm_watch_ocaml(d);
    gc_clear_action(&d->gc);
    vm_stop_if_requested(d);
    gc_collect_requested(&d->gc);
    value result = vm_run_signal_handlers_exn(d);
    struct vm_profiler *profiler = &d->vm->profiler;
    if (!is_exn_result(result) && profiler->poll != NULL) profiler->poll(profiler->state);
    const struct vm_snapshots *snapshots = &d->vm->snapshots;
    if (!is_exn_result(result) && snapshots->state != NULL) snapshots->poll(snapshots->state);
    if (!is_exn_result(result) && d->vm->requests.poll != NULL) d->vm->requests.poll(d->vm);
    if (d->vm->version->finalisers_interrupt_callbacks && gc_finalisers_ready(&d->gc))
        gc_request_action(&d->gc);
    if (!is_exn_result(result) && profiler->run_callbacks_exn != NULL)
        result = profiler->run_callbacks_exn(profiler->state, d);
    if (!is_exn_result(result)) result = vm_run_finalisers_exn(d);
    if (!is_exn_result(result)) {
        vm_thread_yield_if_due(d);
        return VAL_UNIT;
    }
    gc_request_action(&d->gc);
    return result;
}

void vm_process_pending(struct domain *d) { vm_value_or_raise(d, vm_process_pending_exn(d)); }

value vm_poll_keeping(struct domain *d, value v) {
    vm_watch_ocaml(d);
    if (!d->gc.action_requested) return v;
    GC_ROOT(&d->gc, &v);
    vm_process_pending(d);
    return v;
}
