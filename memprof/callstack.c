/* callstack.c - see callstack.h. The machine keeps the last stack and walks only what differs
 * (vm/callstack.h); here it is copied, the innermost frame first. */
#include "memprof/callstack.h"

#include "vm/callstack.h"

#include <stdlib.h>

struct mp_stack *mp_callstack(struct domain *d, uint64_t limit) {
    const uint64_t *gpcs;
    size_t depth = vm_call_stack(d, limit, &gpcs);
    if (depth == 0) return NULL;
    struct mp_stack *stack = malloc(sizeof *stack + depth * sizeof stack->gpcs[0]);
    if (stack == NULL) return NULL;
    stack->depth = depth;
    for (size_t i = 0; i < depth; i++) stack->gpcs[i] = gpcs[depth - 1 - i];
    return stack;
}
