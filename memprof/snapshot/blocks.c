/* blocks.c - the shapes of all reachable blocks (memprof/format/README.md, BLOCKS).
 *
 * They are written in the order of their addresses, and an edge as a distance: an edge to a
 * neighbour, which a program often allocates next, takes a byte or two, and regular structures
 * compress well. */
#include "gc/assert.h"
#include "gc/walk.h"
#include "gc/weak.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/code/code.h"
#include "vm/stack/fiber.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <assert.h>

static_assert(sizeof(((struct mp_shapes *)0)->bytes) <= MP_TEXT_MAX,
              "a record has the whole buffer");

static void flush(struct mp_shapes *s) {
    const struct mp_record_blocks record = {{(const char *)s->bytes, s->used}};
    if (s->used > 0) mp_write_blocks(s->names->writer, &record);
    s->used = 0;
}

/* A record holds all numbers of an edge, and all those before a block's edges. */
enum { MOST_NUMBERS = 3 };

static void begin(struct mp_shapes *s) {
    if (s->used + MOST_NUMBERS * MP_UINT_BYTES > sizeof s->bytes) flush(s);
}

static void put(struct mp_shapes *s, uint64_t n) {
    ASSERT(s->used + MP_UINT_BYTES <= sizeof s->bytes);
    s->used = (size_t)(mp_put_uint(s->bytes + s->used, n) - s->bytes);
}

/* The next field of the block that is being written. */
static void put_field(struct mp_shapes *s, value v) {
    uint64_t target, field = s->fields++;
    if (!gc_block_number(&s->d->gc, v, &target)) return;
    const int64_t distance = (int64_t)(target - s->block);
    const uint64_t sint = (uint64_t)distance << 1 ^ (uint64_t)(distance >> 63);
    const uint64_t skipped = field - s->next_field;
    begin(s);
    put(s, (sint << 1 | (skipped > 0)) + 1);
    if (skipped > 0) put(s, skipped);
    s->next_field = field + 1;
    s->total->edges++;
}

struct fiber_visitor {
    struct gc_visitor visitor; /* first */
    struct mp_shapes *shapes;
};

static void put_slots(struct gc_visitor *visitor, value *from, value *to) {
    struct mp_shapes *s = ((struct fiber_visitor *)visitor)->shapes;
    for (; from < to; from++) put_field(s, *from);
}

/* The words on a suspended fiber's stack are further fields of its continuation. */
static void put_fiber(struct mp_shapes *s, value cont) {
    const struct vm *vm = s->d->vm;
    struct vm_fiber *f = vm->fibers != NULL ? vm_fiber_of_cont(vm, cont) : NULL;
    struct fiber_visitor visitor = {{.g = &s->d->gc, .slots = put_slots}, s};
    if (f != NULL) vm_fiber_visit_chain(vm, f, &visitor.visitor);
}

/* The function of a closure, the operations of a custom block. */
static void put_kind(struct mp_shapes *s, value v, unsigned tag) {
    if (tag == TAG_CUSTOM) {
        const char *name = custom_ops(v)->identifier;
        put(s, mp_names_string(s->names, name == NULL ? "" : name));
    } else if (tag == TAG_CLOSURE) {
        const value code = field(v, 0);
        const uintptr_t index = (uintptr_t)int_of_val(code);
        bool known = is_int(code) && index < s->d->vm->function_count;
        put(s, known ? mp_names_function(s->names, (uint32_t)index) : 0);
        uintptr_t *words = known ? word_map_add(&s->named->functions, index + 1, 64, NULL) : NULL;
        if (words != NULL && *words < wosize_of(v)) *words = wosize_of(v);
    }
}

/* The data of an ephemeron lives as long as both the ephemeron and its keys. Here the key holds it
 * if there is only one, as in almost all programs. */
static void write_ephemeron(struct mp_shapes *s, value e) {
    struct mp_record_ephemeron record = {.block = s->block, .key = s->block};
    if (!gc_block_number(&s->d->gc, field(e, EPHE_DATA), &record.data)) return;
    if (gc_ephe_length(e) == 1) gc_block_number(&s->d->gc, field(e, EPHE_FIRST_KEY), &record.key);
    mp_write_ephemeron(s->names->writer, &record);
}

static void write_block(void *context, value v) {
    struct mp_shapes *s = context;
    const uint64_t wosize = wosize_of(v);
    const unsigned tag = tag_of(v);
    bool numbered = gc_block_number(&s->d->gc, v, &s->block);
    ASSERT(numbered && s->block >= s->end);
    (void)numbered;
    begin(s);
    put(s, s->block - s->end);
    put(s, wosize << 8 | tag);
    put_kind(s, v, tag);
    s->end = s->block + 1 + wosize;
    s->total->blocks++;
    s->total->words += 1 + wosize;
    if (tag >= TAG_NO_SCAN) {
        if (tag == TAG_ABSTRACT && gc_is_ephe(&s->d->gc, v)) write_ephemeron(s, v);
        return;
    }
    if (tag == TAG_OBJECT) mp_snapshot_add_object(s->named, v);
    s->fields = s->next_field = 0;
    /* The globals are roots, each with its name. */
    for (uint64_t i = 0; i < wosize && v != s->d->vm->global_data; i++) put_field(s, field(v, i));
    if (tag == TAG_CONT) put_fiber(s, v);
    begin(s);
    put(s, 0);
}

void mp_snapshot_blocks(struct mp_shapes *s) {
    gc_walk_blocks(&s->d->gc, write_block, s);
    flush(s);
}
