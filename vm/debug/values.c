/* values.c - values as the debugger has them: integers as they are, blocks by their address.
 *
 * An address that comes back must be that of a block which the debugger was given since the program
 * stopped: a stale or invented one means VAL_UNIT. */
#include "vm/base/arena.h"
#include "vm/base/os.h"
#include "vm/code/checks.h"
#include "vm/code/decoded.h"
#include "vm/debug/debug_internal.h"
#include "vm/marshal/writer.h"
#include "vm/state/vm.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

static bool is_known(const struct debug_values *values, value v) {
    return v != 0 && word_map_find(&values->known, (uintptr_t)v) != NULL;
}

void debug_forget_values(struct debug_values *values) {
    free(values->known.entries);
    *values = (struct debug_values){.known = {0}};
}

/* Return addresses and handlers are the only words of a stack that are no values. */
value debug_value_of_word(struct domain *d, value word) {
    const struct vm_decoded_area *area = d->vm->decoded_area;
    uintptr_t first = (uintptr_t)area->words, last = (uintptr_t)(area->words + area->used);
    return (uintptr_t)word >= first && (uintptr_t)word < last ? VAL_UNIT : word;
}

void debug_put_value(struct debug_connection *c, struct debug_values *values, value v) {
    if (is_block(v)) vm_must(word_map_add(&values->known, (uintptr_t)v, FIRST_CAPACITY, NULL));
    debug_put_bytes(c, &v, sizeof v);
}

value debug_get_value(struct debug_connection *c, const struct debug_values *values) {
    value v = (value)debug_get_raw(c);
    return is_int(v) || is_known(values, v) ? v : VAL_UNIT;
}

void debug_put_field(struct debug_connection *c, struct debug_values *values, value v, uint32_t i) {
    bool is_float = has_double(v, i);
    debug_put_byte(c, is_float);
    if (is_float) debug_put_bytes(c, &field(v, i), sizeof(double));
    else debug_put_value(c, values, has_field(v, i) ? field(v, i) : VAL_UNIT);
}

bool debug_put_marshalled(struct debug_connection *c, struct debug_values *values, struct domain *d,
                          const struct vm_marshal_customs *customs, value v, unsigned flags) {
    struct vm_marshal_writer writer;
    struct vm_arena scratch = {.chunks = NULL};
    bool written = vm_marshal_write(&writer, d, customs, v, flags, &scratch);
    if (written) {
        debug_put_bytes(c, writer.header, writer.header_bytes);
        for (const struct vm_marshal_chunk *chunk = &writer.first; chunk != NULL;
             chunk = chunk->next)
            debug_put_bytes(c, chunk->bytes, chunk->used);
    } else if (writer.failure == VM_MARSHAL_RAISED) {
        debug_forget_values(values);
    }
    vm_arena_free(&scratch);
    return written;
}
