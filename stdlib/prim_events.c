/* prim_events.c - runtime events: what module Runtime_events calls in the program that has them.
 * Its readers are in OCaml's own library of C code.
 *
 * An event of the program is a block {number; name; type; tag}; a type is a constant, or a block
 * with the record {encode; decode; number}. */
#include "stdlib/events.h"

#include "gc/stats.h"
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/engine/callback.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"

#include <string.h>

enum { EVENT_NUMBER, EVENT_NAME, EVENT_TYPE, EVENT_TAG, EVENT_FIELDS };
enum { MOST_NAME_BYTES = 127 };

static value start(struct domain *d, const char *primitive) {
    const char *flag = vm_policy_refusal(d->vm, CAP_FS_WRITE);
    if (flag != NULL) vm_raise_refused(d, primitive, flag);
    if (events_path(d) != NULL) return VAL_UNIT;
    events_start(d);
    events_finish(d, EV_STW_LEADER); /* OCaml has stopped all domains for the start */
    return VAL_UNIT;
}
value prim_ml_runtime_events_start(struct domain *d, value unit) {
    return start(d, "caml_ml_runtime_events_start");
}
value prim_runtime_events_start(struct domain *d, value unit) {
    return start(d, "caml_runtime_events_start");
}
value prim_ml_runtime_events_pause(struct domain *d, value unit) {
    events_pause(d);
    return VAL_UNIT;
}
value prim_ml_runtime_events_resume(struct domain *d, value unit) {
    events_resume(d);
    return VAL_UNIT;
}
value prim_ml_runtime_events_are_active(struct domain *d, value unit) {
    return val_of_bool(events_are_active(d));
}

value prim_ml_runtime_events_path(struct domain *d, value unit) {
    const char *path = events_path(d);
    return path == NULL ? VAL_NONE : new_some(d, copy_string(d, path));
}

/* ---- Events of the program. ---- */

static value new_event(struct domain *d, int number, value name, value type, value tag) {
    GC_ROOT(&d->gc, &name, &type, &tag);
    value event = new_small(d, EVENT_FIELDS, 0);
    gc_init_field(&d->gc, event, EVENT_NUMBER, val_of_int(number));
    gc_init_field(&d->gc, event, EVENT_NAME, name);
    gc_init_field(&d->gc, event, EVENT_TYPE, type);
    gc_init_field(&d->gc, event, EVENT_TAG, tag);
    return event;
}

value prim_runtime_events_user_register(struct domain *d, value name, value tag, value type) {
    size_t length = string_length(name);
    if (!is_c_string(name))
        vm_invalid_argument(d, "Runtime_events.User.register: event name has null characters");
    if (length > MOST_NAME_BYTES)
        vm_invalid_argument(d,
                            "Runtime_events.User.register: maximum length for event name exceeded");
    int number = events_register(d, string_bytes(name));
    if (number < 0)
        vm_invalid_argument(
            d, "Runtime_events.User.register: maximum number of custom events exceeded");
    value event = new_event(d, number, name, type, tag);
    GC_ROOT(&d->gc, &event);
    value cell = new_pair(d, event, *events_registered(d));
    *events_registered(d) = cell;
    return event;
}

/* The event with that name, or a new one that has no number: of another process. */
value prim_runtime_events_user_resolve(struct domain *d, value name, value type) {
    for (value list = *events_registered(d); is_block(list); list = field(list, 1)) {
        value event = field(list, 0);
        value known = has_field(event, EVENT_NAME) ? field(event, EVENT_NAME) : VAL_UNIT;
        if (vm_kind_accepts(d, 's', known) && string_length(known) == string_length(name) &&
            memcmp(string_bytes(known), string_bytes(name), string_length(name)) == 0)
            return event;
    }
    return new_event(d, -1, name, type, VAL_NONE);
}

static value refuse_event(struct domain *d) { vm_invalid_argument(d, "Runtime_events.User.write"); }

/* The bytes that the type's function puts into the buffer, padded to words: the last byte is the
 * number of those between. */
static value write_bytes(struct domain *d, value buffer, value event, value content) {
    value record = field(field(event, EVENT_TYPE), 0);
    if (!has_field(record, 0) || !is_closure(field(record, 0))) return refuse_event(d);
    GC_ROOT(&d->gc, &buffer, &event);
    value length = vm_callback2(d, field(record, 0), buffer, content);
    uint64_t words[EVENT_BUFFER_BYTES / 8 + 1];
    size_t n = (size_t)int_of_val(length);
    if (is_block(length) || n > string_length(buffer) || n > EVENT_BUFFER_BYTES)
        return refuse_event(d);
    size_t padding = 8 - n % 8;
    ASSERT(n + padding <= sizeof words);
    memset((char *)words + n, 0, padding);
    memcpy(words, string_bytes(buffer), n);
    ((unsigned char *)words)[n + padding - 1] = (unsigned char)(padding - 1);
    if (!has_field(event, EVENT_NUMBER) || is_block(field(event, EVENT_NUMBER)))
        return refuse_event(d);
    events_write(d, ITEM_BYTES, (unsigned)int_of_val(field(event, EVENT_NUMBER)), words,
                 (n + padding) / 8);
    return VAL_UNIT;
}

value prim_runtime_events_user_write(struct domain *d, value buffer, value event, value content) {
    if (!events_are_active(d)) return VAL_UNIT;
    if (!has_field(event, EVENT_TYPE) || is_block(field(event, EVENT_NUMBER)))
        return refuse_event(d);
    value type = field(event, EVENT_TYPE);
    unsigned number = (unsigned)int_of_val(field(event, EVENT_NUMBER));
    if (is_block(type))
        return has_field(type, 0) ? write_bytes(d, buffer, event, content) : refuse_event(d);
    if (is_block(content)) return refuse_event(d);
    uint64_t n = (uint64_t)(int)int_of_val(content); /* OCaml writes its low 32 bits */
    switch ((enum event_type)int_of_val(type)) {
    case EVENT_UNIT: events_write(d, ITEM_UNIT, number, NULL, 0); break;
    case EVENT_INT: events_write(d, ITEM_INT, number, &n, 1); break;
    case EVENT_SPAN:
        events_write(d, n == 0 ? ITEM_SPAN_BEGIN : ITEM_SPAN_END, number, NULL, 0);
        break;
    }
    return VAL_UNIT;
}

/* 5.1's, whose buffer is the runtime's. */
value prim_events_write_5_1(struct domain *d, value event, value content) {
    GC_ROOT(&d->gc, &event, &content);
    value buffer = new_string(d, EVENT_BUFFER_BYTES);
    return prim_runtime_events_user_write(d, buffer, event, content);
}

/* ---- Phases of module Gc: its primitives between two events. ---- */

struct call {
    prim_function_1 *primitive;
    value argument;
};
static value call(struct domain *d, void *context) {
    const struct call *c = context;
    return c->primitive(d, c->argument);
}

/* An exception ends the phase, too. */
static value in_phase(struct domain *d, enum event_phase phase, prim_function_1 *primitive,
                      value argument) {
    if (!events_are_active(d)) return primitive(d, argument);
    struct call c = {primitive, argument};
    GC_ROOT(&d->gc, &c.argument);
    events_begin(d, phase);
    value result = vm_protect_exn(d, call, &c);
    events_finish(d, phase);
    return vm_value_or_raise(d, result);
}

/* A phase that an exception leaves open, as in OCaml. */
static value in_open_phase(struct domain *d, enum event_phase phase, prim_function_1 *primitive,
                           value argument) {
    events_begin(d, phase);
    value result = primitive(d, argument);
    GC_ROOT(&d->gc, &result);
    events_finish(d, phase);
    return result;
}

/* What ends a cycle; then the heap is counted. */
static value end_cycle(struct domain *d, prim_function_1 *primitive) {
    value result = in_phase(d, EV_MAJOR_FINISH_CYCLE, primitive, VAL_UNIT);
    if (events_are_active(d)) {
        struct gc_walk_stats heap;
        gc_stats_walk(&d->gc, &heap);
        events_count(d, EV_C_MAJOR_HEAP_POOL_LIVE_BLOCKS, heap.live_blocks);
        events_count(d, EV_C_MAJOR_HEAP_LARGE_BLOCKS, 0);
    }
    return result;
}
static value major(struct domain *d, value unit) { return end_cycle(d, prim_gc_major); }
static value full_major(struct domain *d, value unit) { return end_cycle(d, prim_gc_full_major); }
static value stat(struct domain *d, value unit) {
    return in_open_phase(d, EV_EXPLICIT_GC_FULL_MAJOR, prim_gc_stat, unit);
}

/* The major heap is compacted by returning empty spans, in the last cycle: no block moves. */
static value compaction(struct domain *d, value unit) {
    static const enum event_phase parts[] = {EV_COMPACT_EVACUATE, EV_COMPACT_FORWARD,
                                             EV_COMPACT_RELEASE};
    value result = end_cycle(d, prim_gc_compaction);
    if (!d->vm->version->gc_compacts) return result;
    events_begin(d, EV_COMPACT);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        events_begin(d, parts[i]);
        events_finish(d, parts[i]);
    }
    events_finish(d, EV_COMPACT);
    return result;
}

static value set(struct domain *d, value control) {
    size_t before = d->record->minor_heap_words;
    value result = prim_gc_set(d, control);
    if (d->record->minor_heap_words != before)
        events_count(d, EV_C_FORCE_MINOR_SET_MINOR_HEAP_SIZE, 1);
    return result;
}

#define PHASE(name, run, phase, primitive)                       \
    value prim_events_##name(struct domain *d, value argument) { \
        return run(d, phase, primitive, argument);               \
    }
PHASE(gc_minor, in_phase, EV_EXPLICIT_GC_MINOR, prim_gc_minor)
PHASE(gc_major_slice, in_phase, EV_EXPLICIT_GC_MAJOR_SLICE, prim_gc_major_slice)
PHASE(gc_major, in_phase, EV_EXPLICIT_GC_MAJOR, major)
PHASE(gc_full_major, in_open_phase, EV_EXPLICIT_GC_FULL_MAJOR, full_major)
PHASE(gc_compaction, in_phase, EV_EXPLICIT_GC_COMPACT, compaction)
PHASE(gc_set, in_phase, EV_EXPLICIT_GC_SET, set)
PHASE(gc_stat, in_open_phase, EV_EXPLICIT_GC_STAT, stat)
