/* callstack.c - see callstack.h. Frames are walked exactly (vm/frames.h). */
#include "memprof/callstack.h"

#include "vm/frames.h"

#include <stdlib.h>

static struct mp_stack *resize(struct mp_stack *stack, size_t capacity) {
    struct mp_stack *moved = realloc(stack, sizeof *moved + capacity * sizeof moved->gpcs[0]);
    if (moved == NULL) free(stack);
    return moved;
}

struct mp_stack *mp_callstack(struct domain *d, uint64_t limit) {
    size_t capacity = 32, depth = 0;
    struct vm_frame frame;
    struct mp_stack *stack = limit == 0 ? NULL : resize(NULL, capacity);
    if (stack == NULL) return NULL;
    for (bool more = vm_frames_first(d, &frame); more && depth < limit;
         more = vm_frames_next(d, &frame)) {
        if (depth == capacity) {
            capacity *= 2;
            stack = resize(stack, capacity);
            if (stack == NULL) return NULL;
        }
        stack->gpcs[depth++] = frame.gpc;
    }
    stack->depth = depth;
    return stack;
}
