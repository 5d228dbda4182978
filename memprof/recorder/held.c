/* held.c - what holds the sampled blocks that a minor collection promotes (--promoted).
 *
 *   minor collection begins --> gc/walk.h: young blocks, and the root that leads to each
 *                                  | of sampled ones
 *                                  v
 *                 where the root is, by name --> HELD, before the PROMOTIONS of that collection
 *
 * A field of a major block is in the remembered set because an instruction has stored a young block
 * in it. The counting loop (vm/engine/tracer.h) shows each instruction that may do so before it is
 * executed: slots added since the last time are those of the last instruction. */
#include "gc/assert.h"
#include "gc/heap.h"
#include "gc/walk.h"
#include "memprof/recorder/recorder_internal.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/opcodes.h"
#include "vm/engine/tracer.h"
#include "vm/marshal/symbols.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <stdio.h>
#include <stdlib.h>

enum { EXACT_FIELDS = 16 }; /* the largest major blocks whose size and field are recorded */

/* ---- Stores. ---- */

/* The set has another size than when it was last compared with the list. */
static void note_stores(struct mp_holders *h, size_t count) {
    const uintptr_t store = count < h->stores.count ? 0 : h->last_instruction;
    if (count < h->stores.count) h->stores.count = 0; /* slots were removed: which, is unknown */
    while (h->stores.count < count)
        if (!vector_push(&h->stores, store, IF_SMALL_TABLES(1, 1024), NULL)) return;
}

static void on_instruction(void *context, struct domain *d, unsigned op, struct vm_resume at,
                           const value *sp, value extra_args) {
    struct mp_recorder *r = mp_recorder_of(d->vm);
    if (r == NULL) return;
    const size_t count = gc_remembered_count(&d->gc);
    if (count != r->holders.stores.count) note_stores(&r->holders, count);
    r->holders.last_instruction = at.address;
}

static void on_unwind(void *context, struct domain *d, value exn) {}

void mp_recorder_prepare(struct vm_options *options) {
    static const struct vm_tracer tracer = {on_instruction, on_unwind, NULL};
    options->tracer = &tracer;
    options->trace_stores = options->count_instructions = true;
}

/* The location of the instruction that has filled a slot of the set; 0: unknown. */
static uint32_t place_of_store(struct mp_recorder *r, size_t number) {
    const struct mp_holders *h = &r->holders;
    struct vm *vm = r->d->vm;
    const uintptr_t store = number < h->stores.count ? h->stores.items[number]
                                                     : h->last_instruction;
    const struct vm_resume at = {store};
    const struct vm_decoded *f = store == 0 ? NULL : vm_find_decoded(vm, at);
    if (f == NULL) return 0;
    const uint32_t pc = vm_decoded_row(vm, f, at).pc;
    const struct vm_code *code = vm->codes[vm->functions[f->function].fragment];
    const unsigned op = vm_word(&code->words, pc);
    const uint64_t gpc = code->base + pc;
    if (op < OP_C_CALL1 || op > OP_C_CALLN) return mp_names_before(&r->interned.names, gpc);
    return mp_names_location(&r->interned.names, gpc + vm_width_at(&code->words, pc));
}

/* ---- Roots. ---- */

static const char *name_of_block(value block, char *text, size_t size) {
    const size_t wosize = wosize_of(block);
    switch (tag_of(block)) {
    case TAG_CLOSURE: return "closure";
    case TAG_OBJECT: return "object";
    case TAG_LAZY:
    case TAG_FORWARD: return "lazy value";
    default:
        if (wosize <= EXACT_FIELDS) snprintf(text, size, "block of %zu", wosize);
        else snprintf(text, size, "block of more than %d", EXACT_FIELDS);
        return text;
    }
}

static struct mp_record_held held_by_field(struct mp_recorder *r, const struct gc_root *root) {
    struct vm *vm = r->d->vm;
    const value block = gc_block_of_field(&r->d->gc, root->slot);
    const size_t field = (size_t)(root->slot - (const value *)block);
    char text[64];
    if (block == vm->global_data) {
        const char *name = vm_global_name(vm, (uint32_t)field);
        return (struct mp_record_held){
            .kind = MP_ROOT_GLOBAL,
            .name = name == NULL ? 0 : mp_names_string(&r->interned.names, name),
            .slot = field};
    }
    return (struct mp_record_held){
        .kind = MP_HELD_FIELD,
        .name = mp_names_string(&r->interned.names, name_of_block(block, text, sizeof text)),
        .place = place_of_store(r, root->number),
        .slot = wosize_of(block) <= EXACT_FIELDS ? 1 + field : 0};
}

struct frame_names {
    struct mp_recorder *r;
    uint64_t gpc;
};

/* The key of a word of the frames at a gpc. */
static uintptr_t key_of_word(uint64_t gpc, uint32_t word) { return gpc << 20 | (word + 1); }

static void name_word(void *context, const char *name, value ident, uint32_t word) {
    const struct frame_names *names = context;
    struct mp_recorder *r = names->r;
    uintptr_t *string = word_map_add(&r->holders.words, key_of_word(names->gpc, word),
                                     IF_SMALL_TABLES(2, 64), NULL);
    if (string != NULL) *string = mp_names_string(&r->interned.names, name);
}

/* The name of the variable in a word of a frame; 0: unknown. */
static uint32_t name_in_frame(struct mp_recorder *r, const struct vm_frame *f, size_t word) {
    struct mp_holders *h = &r->holders;
    const uintptr_t all = key_of_word(f->gpc, UINT32_MAX);
    struct frame_names names = {r, f->gpc};
    if (word_map_find(&h->words, all) == NULL &&
        word_map_add(&h->words, all, IF_SMALL_TABLES(2, 64), NULL) != NULL)
        vm_variables_of_frame(&h->variables, f->gpc, f->height, name_word, &names);
    const uintptr_t *name = word_map_find(&h->words, key_of_word(f->gpc, (uint32_t)word));
    return name == NULL ? 0 : (uint32_t)*name;
}

/* Words of a frame, also those around it: the closure that runs, a result. */
static struct mp_record_held held_by_scanned(struct mp_recorder *r, const struct gc_root *root) {
    struct mp_frames *frames = &r->holders.frames;
    const struct vm_stack *stack = &r->d->stack;
    const value *slot = root->slot;
    struct mp_record_held held = {.kind = MP_ROOT_STACK};
    if (frames->count == 0) /* of this collection; beyond the watermark nothing is young */
        mp_frames_list(frames, r->d, stack->watermarks[WATERMARK_MINOR].slot);
    const struct vm_frame *f = mp_frames_with(frames, slot);
    if (f != NULL) held.name = name_in_frame(r, f, (size_t)(slot - f->base));
    else if (slot == &r->d->accu) f = mp_frames_after(frames, stack->sp);
    else if (slot >= stack->sp && slot < stack->high) f = mp_frames_after(frames, slot);
    if (f != NULL) {
        held.place = mp_names_location(&r->interned.names, f->gpc);
    } else {
        held.kind = MP_ROOT_MACHINE;
        held.name = mp_names_string(&r->interned.names, root->scanner);
    }
    return held;
}

static void on_held(void *context, uint64_t id, const struct gc_root *root, bool direct) {
    struct mp_recorder *r = context;
    struct mp_held held = {.id = id};
    switch (root->kind) {
    case GC_ROOT_FIELD: held.by = held_by_field(r, root); break;
    case GC_ROOT_SCANNED: held.by = held_by_scanned(r, root); break;
    case GC_ROOT_IN_C: held.by.kind = MP_ROOT_C; break;
    case GC_ROOT_SLOT:
        held.by.kind = MP_ROOT_C;
        held.by.name = mp_names_string(&r->interned.names, mp_library_of(root->slot));
        break;
    case GC_ROOT_FINALISER: held.by.kind = MP_ROOT_FINALISER; break;
    }
    held.by.through = !direct;
    if (held.by.kind == MP_HELD_FIELD) {
        held.field = root->slot;
        held.owner = gc_block_of_field(&r->d->gc, root->slot);
    }
    vector_push(&r->holders.held, held, IF_SMALL_TABLES(1, 256), NULL);
}

void mp_held_find(struct mp_recorder *r) {
    struct mp_holders *h = &r->holders;
    h->variables.vm = r->d->vm;
    h->held.count = 0;
    h->frames.count = 0;
    mp_tracker_visit_young(r->tracker, on_held, r);
    h->stores.count = 0; /* the collection empties the set */
}

/* ---- The order of records. ---- */

static int order(uint64_t x, uint64_t y) { return (x > y) - (x < y); }

static int by_holder(const struct mp_record_held *x, const struct mp_record_held *y) {
    int by = order(x->kind, y->kind);
    if (by == 0) by = order(x->through, y->through);
    if (by == 0) by = order(x->name, y->name);
    if (by == 0) by = order(x->place, y->place);
    return by != 0 ? by : order(x->slot, y->slot);
}

static int by_holder_and_id(const void *a, const void *b) {
    const struct mp_held *x = a, *y = b;
    const int by = by_holder(&x->by, &y->by);
    return by != 0 ? by : order(x->id, y->id);
}

/* ---- Fields of major blocks, after the promotion. ---- */

static void keep(struct mp_holders *h, uint64_t id) {
    word_map_add(&h->kept, id + 1, IF_SMALL_TABLES(2, 256), NULL);
}

/* The field's block may be dead already, and not swept. */
static void note_edge(struct mp_recorder *r, const struct mp_held *held) {
    struct gc_domain *g = &r->d->gc;
    const struct mp_edge edge = {held->owner, held->field, *held->field, held->id};
    if (!gc_is_reachable(g, held->owner)) keep(&r->holders, held->id);
    else vector_push(&r->holders.edges, edge, IF_SMALL_TABLES(1, 256), NULL);
}

void mp_held_marked(struct mp_recorder *r) {
    struct mp_holders *h = &r->holders;
    size_t kept = 0;
    for (size_t i = 0; i < h->edges.count; i++) {
        const struct mp_edge edge = h->edges.items[i];
        const size_t field = (size_t)(edge.field - (const value *)edge.owner);
        if (field >= wosize_of(edge.owner) || *edge.field != edge.block) continue;
        if (gc_is_reachable(&r->d->gc, edge.owner)) h->edges.items[kept++] = edge;
        else keep(h, edge.id);
    }
    h->edges.count = kept;
}

bool mp_held_to_the_end(struct mp_recorder *r, uint64_t id) {
    const bool kept = word_map_find(&r->holders.kept, id + 1) != NULL;
    if (kept) word_map_remove(&r->holders.kept, id + 1);
    return kept;
}

/* ---- Records. ---- */

void mp_held_write(struct mp_recorder *r) {
    const struct mp_held *held = r->holders.held.items;
    const size_t count = r->holders.held.count;
    uint64_t ids[MP_TRACKER_BATCH];
    if (count > 1) qsort(r->holders.held.items, count, sizeof *held, by_holder_and_id);
    for (size_t i = 0, n; i < count; i += n) {
        struct mp_record_held record = held[i].by;
        for (n = 0; n < MP_TRACKER_BATCH && i + n < count; n++) {
            if (by_holder(&held[i + n].by, &record) != 0) break;
            ids[n] = held[i + n].id;
            if (held[i + n].field != NULL) note_edge(r, &held[i + n]);
        }
        record.samples = (struct mp_list){.items = ids, .count = n};
        mp_write_held(r->writer, &record);
    }
    r->holders.held.count = 0;
}

void mp_held_clear(struct mp_holders *h) {
    vm_variables_free(&h->variables);
    mp_frames_free(&h->frames);
    free(h->stores.items);
    free(h->held.items);
    free(h->words.entries);
    free(h->edges.items);
    free(h->kept.entries);
    *h = (struct mp_holders){.last_instruction = h->last_instruction};
}
