/* stacks.c - interns call stacks: each frame is written to the file once (names.h: each location).
 *
 * A stack is a path in a tree whose nodes are (caller, location). The path of the last stack is
 * kept, and the machine knows how many of its outermost frames can't have changed since
 * (vm/stack/callstack.h), so a sample costs the frames that differ. */
#include "gc/containers.h"
#include "memprof/recorder/recorder_internal.h"
#include "vm/stack/callstack.h"
#include "vm/stack/frames.h"
#include "vm/state/domain.h"

#include <stdlib.h>
#include <string.h>

/* When out of memory the key stays unknown, and gets a second number later. */
static void add(struct word_map *map, uint64_t key, uint64_t number) {
    uintptr_t *word = word_map_add(map, key, IF_SMALL_TABLES(2, 256), NULL);
    if (word != NULL) *word = number;
}

uint32_t mp_intern_text(struct mp_recorder *r, const char *text, size_t length) {
    return mp_names_text(&r->interned.names, text, length);
}

uint32_t mp_intern_location(struct mp_recorder *r, uint64_t gpc) {
    struct mp_names *names = &r->interned.names;
    uint32_t number = mp_names_known(names, gpc);
    if (number != 0) return number;
    if (r->rare.wall_ns == 0) r->rare = mp_times_now();
    return mp_names_location(names, gpc);
}

enum {
    MOST_NODES = IF_SMALL_TABLES(16, 1 << 17),
    MOST_AT_ONCE = MOST_NODES < MP_LIST_MAX ? MOST_NODES : MP_LIST_MAX, /* in one record */
};

static size_t first_slot(const struct mp_nodes *n, struct mp_node node) {
    uint64_t key = (uint64_t)node.caller << 32 | node.location;
    return key * 0x9e3779b97f4a7c15u >> 32 & (n->slot_count - 1);
}

/* The free slot for a node that is not in the table. Needs: there is one. */
static uint32_t *free_slot(const struct mp_nodes *n, struct mp_node node) {
    size_t i = first_slot(n, node);
    ASSERT(n->used < n->slot_count);
    while (n->slots[i] != 0) i = (i + 1) & (n->slot_count - 1);
    return &n->slots[i];
}

/* 0: unknown. */
static uint32_t find_node(const struct mp_nodes *n, uint32_t caller, uint32_t location) {
    const struct mp_node node = {caller, location};
    if (n->slot_count == 0) return 0;
    for (size_t i = first_slot(n, node); n->slots[i] != 0; i = (i + 1) & (n->slot_count - 1)) {
        const struct mp_node *at = &n->of[n->slots[i] - n->first];
        if (at->caller == caller && at->location == location) return n->slots[i];
    }
    return 0;
}

/* Doubles the slots. False: out of memory. */
static bool widen_slots(struct mp_nodes *n) {
    struct mp_nodes wider = *n;
    wider.slot_count = n->slot_count == 0 ? IF_SMALL_TABLES(2, 512) : 2 * n->slot_count;
    wider.slots = calloc(wider.slot_count, sizeof *wider.slots);
    if (wider.slots == NULL) return false;
    for (size_t i = 0; i < n->slot_count; i++)
        if (n->slots[i] != 0) *free_slot(&wider, n->of[n->slots[i] - n->first]) = n->slots[i];
    free(n->slots);
    *n = wider;
    return true;
}

static void forget_nodes(struct mp_nodes *n, uint32_t first) {
    if (n->used > 0) memset(n->slots, 0, n->slot_count * sizeof *n->slots);
    n->used = 0;
    n->first = first;
}

/* Makes room for nodes with the next `count` numbers. False: out of memory. */
static bool reserve_nodes(struct mp_nodes *n, uint32_t next, size_t count) {
    if (next - n->first + count > MOST_NODES) forget_nodes(n, next);
    while ((n->used + count) * 2 > n->slot_count)
        if (!widen_slots(n)) return false;
    return next - n->first + count <= n->capacity ||
           vector_widen((void **)&n->of, &n->capacity, next - n->first + count,
                        IF_SMALL_TABLES(1, 256), sizeof *n->of, NULL);
}

/* Adds a node that is unknown. Needs: there is room. */
static inline void add_node(struct mp_nodes *n, struct mp_node node, uint32_t number) {
    n->of[number - n->first] = node;
    *free_slot(n, node) = number;
    n->used++;
}

/* ---- Stacks. ---- */

static bool reserve_path(struct mp_interned *t, size_t depth) {
    const size_t first = IF_SMALL_TABLES(1, 256);
    return (depth <= t->capacity ||
            vector_widen((void **)&t->path, &t->capacity, depth, first, sizeof *t->path, NULL)) &&
           (depth <= t->fresh.capacity || vector_reserve(&t->fresh, depth, first, NULL));
}

/* Defines nodes that are unknown, one for each location, and stores their numbers in the frames.
 * Each is called by the one before, the first by `caller`. When out of memory they stay unknown,
 * and get a second number later. */
static void define_nodes(struct mp_recorder *r, uint32_t caller, const uint64_t *locations,
                         size_t count, struct mp_frame *frames) {
    struct mp_interned *t = &r->interned;
    ASSERT(count > 0 && caller <= t->node_count);
    while (count > 0) {
        const size_t n = count < MOST_AT_ONCE ? count : MOST_AT_ONCE;
        const struct mp_record_stack record = {.back = (uint64_t)t->node_count + 1 - caller,
                                               .locations = {.items = locations, .count = n}};
        const bool room = reserve_nodes(&t->nodes, t->node_count + 1, n);
        mp_write_stack(r->writer, &record);
        for (size_t i = 0; i < n; i++) {
            const struct mp_node node = {caller, (uint32_t)locations[i]};
            caller = frames[i].node = ++t->node_count;
            if (room) add_node(&t->nodes, node, caller);
        }
        count -= n, locations += n, frames += n;
    }
}

/* Finds or makes the nodes of path[from .. depth-1], at least one; returns the last's location. */
static uint32_t extend_path(struct mp_recorder *r, size_t from, size_t depth) {
    struct mp_interned *t = &r->interned;
    uint64_t *locations = t->fresh.items;
    uint32_t caller = from == 0 ? 0 : t->path[from - 1].node, node = 1;
    ASSERT(from < depth && (from == 0 || (caller > 0 && caller <= t->node_count))); /* RI1 */
    for (size_t i = from; i < depth; i++) {
        uint32_t location = mp_intern_location(r, t->path[i].gpc);
        if (node != 0 && (node = find_node(&t->nodes, caller, location)) != 0) {
            t->path[i].node = caller = node;
            from = i + 1;
        }
        locations[i] = location;
    }
    if (from < depth) define_nodes(r, caller, locations + from, depth - from, t->path + from);
    return (uint32_t)locations[depth - 1];
}

/* Updates the path to a new stack. */
static void follow_stack(struct mp_recorder *r, const uint64_t *gpcs, size_t depth) {
    struct mp_interned *t = &r->interned;
    size_t same = r->d->stack.call_stack->unchanged;
    r->d->stack.call_stack->unchanged = SIZE_MAX;
    uint64_t limit = r->options.max_depth;
    bool cut = limit != 0 && depth > limit;
    if (cut) {
        gpcs += depth - limit;
        depth = limit;
    }
    if (cut || t->cut) same = 0;
    t->cut = cut;
    if (!reserve_path(t, depth)) {
        t->depth = 0;
        t->node = t->location = 0;
        return;
    }
    if (t->depth < same) same = t->depth;
    if (depth < same) same = depth;
    while (same < depth && same < t->depth && t->path[same].gpc == gpcs[same]) same++;
    ASSERT(depth > 0 && same <= depth && depth <= t->capacity); /* RI1 */
    for (size_t i = same; i < depth; i++) t->path[i].gpc = gpcs[i];
    t->location = same < depth ? extend_path(r, same, depth)
                               : mp_names_known(&t->names, t->path[depth - 1].gpc);
    t->depth = depth;
    t->node = t->path[depth - 1].node;
}

struct mp_site_of_stack mp_intern_stack(struct mp_recorder *r) {
    struct mp_interned *t = &r->interned;
    const uint64_t *gpcs;
    size_t depth = vm_call_stack(r->d, SIZE_MAX, &gpcs);
    if (depth == 0) return (struct mp_site_of_stack){0, 0};
    if (r->d->stack.call_stack->version != t->version) {
        follow_stack(r, gpcs, depth);
        t->version = r->d->stack.call_stack->version;
    }
    return (struct mp_site_of_stack){t->node, t->location};
}

/* The node of a frame called from node `caller`. */
static struct mp_site_of_stack call_from(struct mp_recorder *r, uint32_t caller, uint64_t gpc) {
    const uint64_t location = mp_intern_location(r, gpc);
    struct mp_frame frame = {gpc, find_node(&r->interned.nodes, caller, (uint32_t)location)};
    if (frame.node == 0) define_nodes(r, caller, &location, 1, &frame);
    return (struct mp_site_of_stack){frame.node, (uint32_t)location};
}

/* Lists the frames of suspended fibers. Returns whether there was memory. */
static bool list_inner(struct mp_recorder *r, const struct vm_fiber *inner) {
    struct mp_interned *t = &r->interned;
    struct vm_frame frame;
    t->inner.count = 0;
    for (bool more = vm_frames_first_suspended(r->d, inner, &frame); more;
         more = vm_frames_next(r->d, &frame)) {
        if (!vector_reserve(&t->inner, 1, IF_SMALL_TABLES(1, 64), NULL)) return false;
        vector_append(&t->inner, frame.gpc);
    }
    return true;
}

/* The machine's call stack, with the frames of fiber `inner` and of those outside it in its chain
 * in place of the innermost one. */
static struct mp_site_of_stack intern_chain(struct mp_recorder *r, const struct vm_fiber *inner) {
    struct mp_interned *t = &r->interned;
    struct mp_site_of_stack site = mp_intern_stack(r);
    if (site.node == 0 || !list_inner(r, inner)) return (struct mp_site_of_stack){0, 0};
    size_t n = t->inner.count, outer = t->depth - 1, limit = r->options.max_depth;
    site.node = outer == 0 ? 0 : t->path[outer - 1].node;
    if (limit != 0 && n + outer > limit) {
        if (n > limit) n = limit;
        site.node = 0;
        for (size_t i = outer - (limit - n); i < outer; i++)
            site = call_from(r, site.node, t->path[i].gpc);
    }
    while (n > 0) site = call_from(r, site.node, t->inner.items[--n]);
    return site;
}

/* All fibers of a chain have the call stack of its continuation, which is walked once. */
struct mp_site_of_stack mp_intern_suspended(struct mp_recorder *r, const struct vm_fiber *fiber,
                                            const struct vm_fiber *inner) {
    struct word_map *chains = &r->interned.chains;
    uintptr_t key = (uintptr_t)(inner == NULL ? fiber : inner);
    const uintptr_t *known = inner == NULL ? NULL : word_map_find(chains, key);
    if (known != NULL) return (struct mp_site_of_stack){(uint32_t)(*known >> 32), (uint32_t)*known};
    struct mp_site_of_stack site = inner == NULL ? mp_intern_stack(r) : intern_chain(r, inner);
    add(chains, key, (uint64_t)site.node << 32 | site.location);
    return site;
}

void mp_forget_suspended(struct mp_recorder *r, const struct vm_fiber *fiber) {
    word_map_remove(&r->interned.chains, (uintptr_t)fiber);
}

void mp_interned_clear(struct mp_interned *t) {
    mp_names_clear(&t->names);
    free(t->nodes.slots);
    free(t->nodes.of);
    free(t->path);
    free(t->fresh.items);
    free(t->inner.items);
    free(t->chains.entries);
    free(t->tags);
    *t = (struct mp_interned){.names = t->names};
}

void mp_interned_forget(struct mp_interned *t, uint32_t strings, uint32_t locations,
                        uint32_t nodes) {
    mp_interned_clear(t);
    t->names.string_count = strings;
    t->names.location_count = locations;
    t->node_count = nodes;
    t->nodes.first = nodes + 1;
}
