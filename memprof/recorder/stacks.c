/* stacks.c - interns call stacks: each frame, location and string is written to the file once.
 *
 * A stack is a path in a tree whose nodes are (caller, location). The path of the last stack is
 * kept, and the machine knows how many of its outermost frames can't have changed since
 * (vm/stack/callstack.h), so a sample costs the frames that differ. */
#include "gc/containers.h"
#include "memprof/recorder/recorder_internal.h"
#include "vm/code/code.h"
#include "vm/code/opcodes.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/symbols.h"
#include "vm/stack/callstack.h"
#include "vm/stack/frames.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t find(const struct word_map *map, uint64_t key) {
    const uintptr_t *number = word_map_find(map, key);
    return number == NULL ? 0 : (uint32_t)*number;
}

/* When out of memory the key stays unknown, and gets a second number later. */
static void add(struct word_map *map, uint64_t key, uint64_t number) {
    uintptr_t *word = word_map_add(map, key, IF_SMALL_TABLES(2, 256), NULL);
    if (word != NULL) *word = number;
}

/* ---- Texts and locations. ---- */

uint32_t mp_intern_text(struct mp_recorder *r, const char *text, size_t length) {
    struct mp_record_string record = {{text, length}};
    mp_write_string(r->writer, &record);
    return ++r->interned.string_count;
}

/* 64 bits, not 0: two texts of a program never share one in practice. */
static uint64_t hash_text(const char *text) {
    uint64_t hash = 1;
    for (; *text != 0; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash | 1;
}

static uint32_t intern_debug_text(struct mp_recorder *r, const char *text) {
    if (text[0] == 0) return 0;
    uint64_t key = hash_text(text);
    uint32_t number = find(&r->interned.strings, key);
    if (number != 0) return number;
    number = mp_intern_text(r, text, strlen(text));
    add(&r->interned.strings, key, number);
    return number;
}

static uint64_t not_negative(int n) { return n < 0 ? 0 : (uint64_t)n; }

/* A program can observe whether debugging information was read: the recorder must not change
 * that. */
static bool find_location(struct mp_recorder *r, uint64_t gpc, struct vm_location *location) {
    struct vm *vm = r->d->vm;
    int shown = vm->debug_status;
    if (r->debug_read) vm->debug_status = VM_DEBUG_READ;
    bool found = vm_debuginfo_find(vm, gpc, location);
    /* The compiler makes no event for an effect that is performed in tail position. */
    if (!found && gpc > 0 && vm_opcode_at(vm, gpc - 1) == OP_PERFORM)
        found = vm_debuginfo_find_before(vm, gpc, vm_function_start(vm, gpc), location);
    r->debug_read = true;
    vm->debug_status = shown;
    return found;
}

/* The number of the fragment that was loaded at run time and contains gpc; 0: the program's. */
static unsigned loaded_fragment(const struct vm *vm, uint64_t gpc) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    for (unsigned i = 1; i < vm->code_count; i++)
        if (vm->codes[i] == code) return i;
    return 0;
}

/* Names for code compiled without -g: the module and the function's entry; the primitive, for the
 * code that the compiler makes for an external; the order of loading, for code loaded at run
 * time. */
static void name_without_debug(struct mp_recorder *r, uint64_t gpc,
                               struct mp_record_location *record) {
    struct vm *vm = r->d->vm;
    char function[300], loaded[40];
    const char *module = vm_symbol_at(vm, gpc, function, sizeof function);
    const char *name = vm_primitive_called_before(vm, gpc);
    unsigned fragment = module == NULL ? loaded_fragment(vm, gpc) : 0;
    if (fragment != 0) {
        const uint64_t start = vm_function_start(vm, gpc) - vm->codes[fragment]->base;
        snprintf(loaded, sizeof loaded, "(loaded code %u)", fragment);
        snprintf(function, sizeof function, "%s.F%" PRIx64, loaded, 4 * start);
        module = loaded;
    }
    if (name == NULL && module != NULL) name = function;
    if (name != NULL) record->definition = intern_debug_text(r, name);
    if (module != NULL) record->file = intern_debug_text(r, module);
}

/* Events of code that the compiler generates have no location, or only a function. */
static bool names_file(const struct vm_location *location) {
    return location->file[0] != 0 && strcmp(location->file, "_none_") != 0;
}

uint32_t mp_intern_location(struct mp_recorder *r, uint64_t gpc) {
    struct mp_interned *t = &r->interned;
    uint32_t number = find(&t->locations, gpc + 1);
    if (number != 0) return number;
    if (r->rare.wall_ns == 0) r->rare = mp_times_now();
    struct mp_record_location record = {.code = gpc};
    struct vm_location location;
    bool found = find_location(r, gpc, &location);
    if (found && names_file(&location)) {
        record.file = intern_debug_text(r, location.file);
        record.definition = intern_debug_text(r, location.definition);
        record.line = not_negative(location.line);
        record.start = not_negative(location.start);
        record.end = not_negative(location.end);
    } else {
        name_without_debug(r, gpc, &record);
        if (found && location.definition[0] != 0 && strcmp(location.definition, "??") != 0)
            record.definition = intern_debug_text(r, location.definition);
    }
    mp_write_location(r->writer, &record);
    number = ++t->location_count;
    add(&t->locations, gpc + 1, number);
    return number;
}

/* ---- Stacks. ---- */

static bool reserve_path(struct mp_interned *t, size_t depth) {
    const size_t first = IF_SMALL_TABLES(1, 256);
    return vector_widen((void **)&t->path, &t->capacity, depth, first, sizeof *t->path, NULL) &&
           vector_reserve(&t->fresh, depth, first, NULL);
}

/* Defines nodes for the frames path[from .. depth-1]. */
static void add_nodes(struct mp_recorder *r, uint32_t caller, size_t from, size_t depth) {
    struct mp_interned *t = &r->interned;
    ASSERT(from < depth && caller <= t->node_count);
    for (size_t i = from; i < depth; i++) t->fresh.items[i] = mp_intern_location(r, t->path[i].gpc);
    for (size_t i = from; i < depth;) {
        size_t n = depth - i < MP_LIST_MAX ? depth - i : MP_LIST_MAX;
        struct mp_record_stack record = {.back = (uint64_t)t->node_count + 1 - caller,
                                         .locations = {.items = t->fresh.items + i, .count = n}};
        mp_write_stack(r->writer, &record);
        for (; n > 0; n--, i++) {
            uint64_t key = (uint64_t)caller << 32 | (uint32_t)t->fresh.items[i];
            caller = t->path[i].node = ++t->node_count;
            add(&t->node_of, key, caller);
        }
    }
}

/* Finds or makes the nodes of path[from .. depth-1]. */
static void extend_path(struct mp_recorder *r, size_t from, size_t depth) {
    struct mp_interned *t = &r->interned;
    uint32_t caller = from == 0 ? 0 : t->path[from - 1].node;
    ASSERT(from == 0 || (caller > 0 && caller <= t->node_count)); /* RI1 */
    for (size_t i = from; i < depth; i++) {
        uint32_t location = find(&t->locations, t->path[i].gpc + 1);
        uint32_t node = location == 0 ? 0 : find(&t->node_of, (uint64_t)caller << 32 | location);
        if (node == 0) {
            add_nodes(r, caller, i, depth);
            return;
        }
        caller = t->path[i].node = node;
    }
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
    extend_path(r, same, depth);
    t->depth = depth;
    t->node = t->path[depth - 1].node;
    t->location = find(&t->locations, t->path[depth - 1].gpc + 1);
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
    struct mp_interned *t = &r->interned;
    uint32_t location = mp_intern_location(r, gpc);
    uint64_t key = (uint64_t)caller << 32 | location, item = location;
    uint32_t node = find(&t->node_of, key);
    if (node == 0) {
        struct mp_record_stack record = {.back = (uint64_t)t->node_count + 1 - caller,
                                         .locations = {.items = &item, .count = 1}};
        mp_write_stack(r->writer, &record);
        node = ++t->node_count;
        add(&t->node_of, key, node);
    }
    return (struct mp_site_of_stack){node, location};
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
    free(t->locations.entries);
    free(t->strings.entries);
    free(t->node_of.entries);
    free(t->path);
    free(t->fresh.items);
    free(t->inner.items);
    free(t->chains.entries);
    free(t->tags);
    *t = (struct mp_interned){.depth = 0};
}
