/* stack.c - see stack.h. */
#include "vm/stack/stack.h"

#include "gc/assert.h"
#include "vm/base/os.h"
#include "vm/code/version.h"
#include "vm/stack/fiber.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/raise.h"
#include "vm/stack/watermarks.h"
#include "vm/state/vm.h"

/* The words of a new thread's stack that count towards the heap's limit, and the bytes that a call
 * stack (vm/stack/callstack.h) may take for each word. */
enum { FIRST_WORDS = 1024, CALL_STACK_BYTES = 12 };

/* Bounds of the reserved address space, and of the sizes: OCaml's first stack, and 32 GB. */
enum { LEAST_WORDS = 4096 };
#define MOST_WORDS (((size_t)1 << 32) - 4096) /* a depth is a uint32_t (vm/stack/fiber.h) */

/* The first size of OCaml's stack of a fiber, and the words at its base that are not in ours. */
enum { FIRST_FIBER_WORDS = 66, FIBER_BASE_WORDS = 1 };

/* Words of a stack that are scanned in the time that marking takes for one block. */
enum { WORDS_PER_ROOT = 8 };

/* ---- The size, which grows as that of OCaml's stack does. ---- */

static size_t stack_room(const struct domain *d) {
    return (size_t)(d->stack.high - d->stack.low) - STACK_EXTRA_WORDS;
}

/* The size of OCaml's stack after one of that many words was requested. */
static size_t made_size(const struct vm_version *version, size_t words) {
    return words | version->stack_rounds_up;
}

/* The size to which one of `size` words can grow. */
static size_t greatest_size(const struct domain *d, size_t size, size_t limit) {
    while (size < limit && size < MOST_WORDS) size = made_size(d->vm->version, 2 * size);
    return size < MOST_WORDS ? size : MOST_WORDS;
}

static size_t first_size(const struct domain *d, size_t limit, bool is_main) {
    const struct vm_version *version = d->vm->version;
    size_t words = is_main ? version->first_stack_words : version->thread_stack_words;
    if (version->first_stack_is_limited && limit < words) words = limit;
    return made_size(version, words);
}

bool vm_stack_create(struct domain *d, size_t limit, bool is_main) {
    size_t reserve = is_main ? VM_MAIN_STACK_RESERVE : VM_THREAD_STACK_RESERVE;
    size_t first = first_size(d, limit, is_main), words = greatest_size(d, first, limit);
    if (words < reserve) words = reserve;
    size_t bytes = 8 * (words + STACK_EXTRA_WORDS);
    value *low = vm_reserve(&bytes, 8 * (LEAST_WORDS + STACK_EXTRA_WORDS));
    if (low == NULL) return false;
    d->stack.low = low;
    d->stack.high = low + bytes / 8;
    d->stack.sp = d->stack.high;
    d->stack.size_words = first;
    d->stack.base_words = is_main ? STACK_BASE_WORDS : d->vm->version->thread_base_words;
    ASSERT(stack_room(d) >= LEAST_WORDS);
    vm_watermarks_reset(d);
    return true;
}

size_t vm_stack_limit(const struct domain *d) { return d->stack_limit_words; }

void vm_set_stack_limit(struct domain *d, size_t words) {
    d->stack_limit_words = words;
    size_t size = FIRST_FIBER_WORDS;
    while (size < words && size < MOST_WORDS) size *= 2;
    d->fiber_bytes = 8 * (size - d->vm->version->stack_reserve_words - FIBER_BASE_WORDS);
}

/* The most words that the stack may have: its memory, or --max-stack. */
static size_t most_words(const struct domain *d) {
    const struct vm_options *options = &d->vm->options;
    size_t most = stack_room(d);
    return options->max_stack_holds && options->max_stack_words < most ? options->max_stack_words
                                                                       : most;
}

static uintptr_t limit_of_words(const struct domain *d, size_t words) {
    size_t reserve = d->vm->version->stack_reserve_words;
    words = words < reserve ? 0 : words - reserve;
    return (uintptr_t)(d->stack.high - (d->stack.base_words + (ptrdiff_t)words));
}

static uintptr_t higher(uintptr_t a, uintptr_t b) { return a > b ? a : b; }

/* That of the fiber at boundary b, some of whose frames may be in its buffer. */
static uintptr_t limit_of_fiber(const struct domain *d, const value *b) {
    size_t elsewhere = 8 * (size_t)vm_fiber_of_boundary(b)->used;
    return (uintptr_t)b - (elsewhere < d->fiber_bytes ? d->fiber_bytes - elsewhere : 0);
}

/* The limit of frames, except for what is counted. */
static uintptr_t uncounted_limit(const struct domain *d) {
    const struct vm_stack *s = &d->stack;
    if (s->limit_boundary == 0) return limit_of_words(d, s->size_words);
    uintptr_t at = (uintptr_t)(s->high - s->limit_boundary);
    if (s->limit_boundary <= s->boundary) at = limit_of_fiber(d, (const value *)at);
    return higher(at, limit_of_words(d, most_words(d)));
}

static uintptr_t counted_limit(const struct domain *d) {
    return d->stack.counted_words == 0 ? 0 : limit_of_words(d, d->stack.counted_words);
}

void vm_stack_apply_limit(struct domain *d) {
    d->gc.mutator_limit_idle = higher(uncounted_limit(d), counted_limit(d));
    gc_update_limits(&d->gc);
}

/* Grows the size as OCaml would. False: it has reached a limit. No step exceeds --max-stack. */
static bool grow_size(struct domain *d) {
    size_t size = d->stack.size_words, most = most_words(d);
    if (size >= d->stack_limit_words || size >= most) return false;
    size = made_size(d->vm->version, 2 * size);
    d->stack.size_words = size < most ? size : most;
    return true;
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

/* Counts twice as many words as before. */
static void count_more(struct domain *d) {
    size_t wider = 2 * d->stack.counted_words;
    size_t most = d->stack.limit_boundary == 0 ? d->stack.size_words : most_words(d);
    if (wider > most) wider = most;
    size_t bytes = (wider - d->stack.counted_words) * (8 + CALL_STACK_BYTES);
    if (!gc_external_charge(&d->gc, bytes)) vm_raise_out_of_memory(d);
    d->stack.counted_bytes += bytes;
    d->stack.counted_words = wider;
}

/* Moves the limit of frames as far as the innermost fiber, or the thread, allows. False: it was
 * there. */
static bool move_limit(struct domain *d) {
    uintptr_t limit = d->gc.mutator_limit_idle;
    d->stack.limit_boundary = d->stack.boundary;
    if (d->stack.boundary == 0 && !grow_size(d)) return false;
    vm_stack_apply_limit(d);
    return d->gc.mutator_limit_idle < limit;
}

/* Counts what the limit of frames needs. False: it does not depend on what is counted. */
static bool count_for_limit(struct domain *d) {
    if (counted_limit(d) <= uncounted_limit(d)) return false;
    count_more(d);
    vm_stack_apply_limit(d);
    return true;
}

bool vm_stack_reserve(struct domain *d, const value *top, const value *low) {
    ASSERT(low <= top && top <= d->stack.high);
    while ((uintptr_t)low < d->gc.mutator_limit_idle) {
        if (!count_for_limit(d) && !move_limit(d))
            return (uintptr_t)top >= d->gc.mutator_limit_idle &&
                   (uintptr_t)(low + STACK_FRAME_WORDS) >= d->gc.mutator_limit_idle;
    }
    return true;
}

bool vm_stack_reserve_fiber(struct domain *d, const value *low) {
    if ((uintptr_t)low < limit_of_words(d, most_words(d))) return false;
    d->stack.limit_boundary = (uintptr_t)(d->stack.high - low);
    vm_stack_apply_limit(d);
    while ((uintptr_t)low < d->gc.mutator_limit_idle && count_for_limit(d)) continue;
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
