/* callstack.c - see callstack.h. The machine keeps the last stack and walks only what differs
 * (vm/stack/callstack.h); here it is copied, the innermost frame first. */
#include "memprof/sampling/callstack.h"

#include "vm/stack/callstack.h"

#include <stdlib.h>

static size_t stack_bytes(size_t depth) {
    return sizeof(struct mp_stack) + depth * sizeof(uint64_t);
}

struct mp_stack *mp_callstack(struct domain *d, uint64_t limit) {
    const uint64_t *gpcs;
    size_t depth = vm_call_stack(d, limit, &gpcs);
    if (depth == 0) return NULL;
    if (!gc_external_owe(d->gc.heap, stack_bytes(depth))) return NULL;
    struct mp_stack *stack = malloc(stack_bytes(depth));
    if (stack == NULL) {
        gc_external_give(d->gc.heap, stack_bytes(depth));
        return NULL;
    }
    stack->depth = depth;
    for (size_t i = 0; i < depth; i++) stack->gpcs[i] = gpcs[depth - 1 - i];
    return stack;
}

void mp_callstack_free(struct gc_heap *heap, struct mp_stack *stack) {
    if (stack != NULL) gc_external_give(heap, stack_bytes(stack->depth));
    free(stack);
}
