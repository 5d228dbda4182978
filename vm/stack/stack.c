/* stack.c - see stack.h. */
#include "vm/stack/stack.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/code/version.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/raise.h"
#include "vm/stack/watermarks.h"
#include "vm/state/vm.h"

/* The words of a new thread's stack that count, and what a call stack (vm/stack/callstack.h) may
 * take for each word. */
enum { FIRST_WORDS = 1024, CALL_STACK_BYTES = 12 };

/* Bounds of what is reserved: what OCaml 4 begins with, and 32 GB, also of the limit in force. */
enum { LEAST_WORDS = 4096 };
/* What a running program's stack has grown to, about: a limit that it sets doesn't shrink it. */
enum { GROWN_WORDS = 4096 };
#define MOST_WORDS (((size_t)1 << 32) - 4096) /* a depth is a uint32_t (vm/stack/fiber.h) */

/* Words of a stack that are scanned in the time that marking takes for one block. */
enum { WORDS_PER_ROOT = 8 };

static size_t within_bounds(size_t words) {
    return words < LEAST_WORDS ? LEAST_WORDS : words > MOST_WORDS ? MOST_WORDS : words;
}

static size_t stack_room(const struct domain *d) {
    return (size_t)(d->stack.high - d->stack.low) - STACK_EXTRA_WORDS;
}

bool vm_stack_create(struct domain *d, size_t max_words, size_t reserve_words) {
    size_t words = within_bounds(max_words) + STACK_EXTRA_WORDS;
    size_t bytes = 8 * (words < reserve_words ? reserve_words : words);
    value *low = vm_reserve(&bytes, 8 * (LEAST_WORDS + STACK_EXTRA_WORDS));
    if (low == NULL) return false;
    d->stack.low = low;
    d->stack.high = low + bytes / 8;
    d->stack.sp = d->stack.high;
    ASSERT(stack_room(d) >= LEAST_WORDS);
    vm_watermarks_reset(d);
    return true;
}

size_t vm_stack_limit(const struct domain *d) { return d->stack_limit_words; }

void vm_set_stack_limit(struct domain *d, size_t words) {
    bool running = d->stack.sp != d->stack.high;
    d->stack_limit_words = words;
    d->least_stack_words = d->vm->version->least_stack_words;
    if (running && d->least_stack_words < GROWN_WORDS) d->least_stack_words = GROWN_WORDS;
    vm_stack_apply_limit(d);
}

static size_t limit_in_force(const struct domain *d) {
    const struct vm_version *version = d->vm->version;
    size_t words = d->stack_limit_words, size = d->least_stack_words;
    if (words > MOST_WORDS) words = MOST_WORDS;
    while (version->stack_doubles && size < words) size *= 2;
    if (words < size) words = size;
    return words < stack_room(d) ? words : stack_room(d);
}

void vm_stack_apply_limit(struct domain *d) {
    size_t words = limit_in_force(d);
    if (d->stack.counted_words != 0 && d->stack.counted_words < words)
        words = d->stack.counted_words;
    d->gc.mutator_limit_idle = (uintptr_t)(d->stack.high - words - STACK_MARGIN_WORDS);
    gc_update_limits(&d->gc);
}

/* ---- What counts towards the heap's limit. ---- */

static bool stack_count_bytes(struct domain *d, size_t bytes) {
    if (!gc_external_try_charge(d->gc.heap, bytes)) return false;
    d->stack.counted_bytes += bytes;
    return true;
}

bool vm_stack_count(struct domain *d) {
    if (gc_get_params(&d->gc)->max_heap_words == 0) return true;
    d->stack.counted_words = FIRST_WORDS;
    return stack_count_bytes(d, VM_THREAD_BYTES);
}

bool vm_stack_grow(struct domain *d, uintptr_t low) {
    ASSERT(low < (uintptr_t)d->stack.high);
    size_t had = d->stack.counted_words, most = limit_in_force(d);
    size_t wanted = ((uintptr_t)d->stack.high - low) / 8;
    if (had == 0 || wanted > most + STACK_MARGIN_WORDS) return false;
    size_t wider = 2 * had > wanted ? 2 * had : wanted;
    if (wider > most) wider = most;
    size_t bytes = (wider - had) * (8 + CALL_STACK_BYTES);
    if (!gc_external_charge(&d->gc, bytes)) vm_raise_out_of_memory(d);
    d->stack.counted_bytes += bytes;
    d->stack.counted_words = wider;
    vm_stack_apply_limit(d);
    return true;
}

bool vm_c_stack_count(struct domain *d) {
    if (d->stack.counted_words == 0 || d->stack.c_stack_counted) return true;
    return d->stack.c_stack_counted = stack_count_bytes(d, VM_C_STACK_BYTES);
}

void vm_stack_destroy(struct domain *d) {
    if (d->stack.low != NULL) vm_release(d->stack.low, (size_t)(d->stack.high - d->stack.low) * 8);
}

/* ---- Scanning. ---- */

size_t vm_stack_scan_some(void *context, struct gc_visitor *visitor, size_t budget) {
    struct domain *d = context;
    struct vm_stack *s = &d->stack;
    if (!vm_watermark_is_set(d, WATERMARK_UNSCANNED)) return 0;
    value *from = s->watermarks[WATERMARK_UNSCANNED].slot;
    ASSERT(from < s->unscanned_end && s->unscanned_end <= s->high); /* S6 */
    size_t left = (size_t)(s->unscanned_end - from);
    size_t n = left / WORDS_PER_ROOT < budget ? left : budget * WORDS_PER_ROOT;
    s->unscanned_end -= n;
    visitor->slots(visitor, s->unscanned_end, s->unscanned_end + n);
    if (n == left) vm_watermark_remove(d, WATERMARK_UNSCANNED);
    return n / WORDS_PER_ROOT;
}

void vm_stack_scan(void *context, struct gc_visitor *visitor) {
    struct domain *d = context;
    ASSERT(d->stack.low <= d->stack.sp && d->stack.sp <= d->stack.high); /* S1 */
    if (gc_get_params(&d->gc)->verify) vm_selfcheck(d);
    value *end = d->stack.high;
    if (visitor->young_only) end = d->stack.watermarks[WATERMARK_MINOR].slot;
    else if (visitor->may_defer) end = vm_watermark_leave_unscanned(d);
    if (!visitor->young_only) visitor->deferred += (size_t)(d->stack.high - end) / WORDS_PER_ROOT;
    visitor->slots(visitor, d->stack.sp, end);
    gc_visit(visitor, &d->exn);
    gc_visit(visitor, &d->accu);
    if (visitor->young_only) vm_watermark_renew_minor(d);
    else gc_visit(visitor, &d->vm->global_data);
}
