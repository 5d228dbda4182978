/* prim_backtrace.c - module Printexc: backtraces and call stacks as OCaml values.
 *
 * A raw backtrace is an array of global pcs, as integers, which are raw slots too. Programs may
 * store, modify and marshal such values: an integer that is not a pc has an unknown location. */
#include "stdlib/prim.h"
#include "vm/engine/effects.h"
#include "vm/marshal/debuginfo.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/fiber.h"

/* The pc of a raw slot; UINT64_MAX, which is not a pc, if it is not a positive integer. */
static uint64_t pc_of(value entry) {
    return is_int(entry) && entry > 0 ? (uint64_t)int_of_val(entry) : UINT64_MAX;
}

static size_t length_of(value raw) {
    return is_block(raw) && tag_of(raw) < TAG_NO_SCAN && tag_of(raw) != TAG_INFIX ? wosize_of(raw)
                                                                                  : 0;
}

/* ---- Recording. ---- */

value prim_record_backtrace(struct domain *d, value on) {
    vm_backtrace_set_active(d, bool_of_val(on));
    return VAL_UNIT;
}

value prim_backtrace_status(struct domain *d, value unit) {
    return val_of_bool(d->backtrace_active);
}

value prim_get_exception_raw_backtrace(struct domain *d, value unit) {
    size_t n = d->backtrace_active ? vm_backtrace_count(d) : 0;
    ASSERT(n <= VM_BACKTRACE_LIMIT);
    uint64_t gpcs[VM_BACKTRACE_LIMIT]; /* the allocation may record another backtrace */
    memcpy(gpcs, d->backtrace->gpcs, n * sizeof *gpcs);
    value raw = new_block(d, n, 0);
    for (size_t i = 0; i < n; i++) gc_init_field(&d->gc, raw, i, val_of_int((intptr_t)gpcs[i]));
    return raw;
}

value prim_restore_raw_backtrace(struct domain *d, value exn, value raw) {
    uint64_t gpcs[VM_BACKTRACE_LIMIT];
    size_t n = length_of(raw);
    if (n > VM_BACKTRACE_LIMIT) n = VM_BACKTRACE_LIMIT;
    for (size_t i = 0; i < n; i++) gpcs[i] = pc_of(field(raw, i));
    vm_backtrace_restore(d, exn, gpcs, n);
    return VAL_UNIT;
}

static void count_only(void *context, uint64_t gpc) {}

struct filling {
    value array;
    size_t next;
};

static void fill_slot(void *context, uint64_t gpc) {
    struct filling *f = context;
    ASSERT(f->next < wosize_of(f->array));
    field(f->array, f->next++) = val_of_int((intptr_t)gpc); /* integers need no barrier */
}

/* Walks twice: no C memory is held while the array is allocated. */
value prim_get_current_callstack(struct domain *d, value limit) {
    bool none = int_of_val(limit) < 0 && !d->vm->version->negative_depth_is_whole;
    size_t most = none ? 0 : (size_t)int_of_val(limit);
    size_t n = vm_backtrace_walk(d, most, count_only, NULL);
    vm_charge_work(d, 64 * n);
    struct filling f = {.array = new_block(d, n, 0)};
    vm_backtrace_walk(d, n, fill_slot, &f);
    return f.array;
}

value prim_get_continuation_callstack(struct domain *d, value cont, value limit) {
    const struct vm_fiber *f = vm_fiber_of_cont(d->vm, cont);
    if (f == NULL) vm_raise_already_resumed(d);
    size_t most = int_of_val(limit) < 0 ? 0 : (size_t)int_of_val(limit);
    size_t n = vm_backtrace_walk_suspended(d, f, most, count_only, NULL);
    GC_ROOT(&d->gc, &cont);
    vm_charge_work(d, 64 * n);
    struct filling filling = {.array = new_block(d, n, 0)};
    f = vm_fiber_of_cont(d->vm, cont);
    if (f == NULL) vm_raise_already_resumed(d); /* a signal handler took it */
    vm_backtrace_walk_suspended(d, f, n, fill_slot, &filling);
    return filling.array;
}

/* ---- Raw values. ---- */

value prim_raw_backtrace_length(struct domain *d, value raw) {
    return val_of_int((intptr_t)length_of(raw));
}

value prim_raw_backtrace_slot(struct domain *d, value raw, value index) {
    if ((uintptr_t)int_of_val(index) >= length_of(raw))
        vm_invalid_argument(d, "Printexc.get_raw_backtrace_slot: index out of bounds");
    return field(raw, int_of_val(index));
}

/* Bytecode has no inlined functions, so a slot is one frame. */
value prim_raw_backtrace_next_slot(struct domain *d, value slot) { return VAL_NONE; }

/* ---- Locations. ---- */

enum { UNKNOWN_LOCATION_TAG = 1, LOCATION_FIELDS = 7, END_LINE_FIELDS = 2 };

value prim_convert_raw_backtrace_slot(struct domain *d, value slot) {
    uint64_t gpc = pc_of(slot);
    value is_raise = val_of_bool(vm_backtrace_is_raise(d->vm, gpc));
    struct vm_location where;
    if (!vm_debuginfo_find(d->vm, gpc, &where)) {
        value unknown = new_small(d, 1, UNKNOWN_LOCATION_TAG);
        field(unknown, 0) = is_raise;
        return unknown;
    }
    value file = VAL_UNIT, definition = VAL_UNIT;
    GC_ROOT(&d->gc, &file, &definition);
    file = copy_string(d, where.file);
    definition = copy_string(d, where.definition);
    bool end_lines = d->vm->version->has_end_lines;
    value known = new_small(d, LOCATION_FIELDS + (end_lines ? END_LINE_FIELDS : 0), 0);
    size_t i = 0;
    field(known, i++) = is_raise;
    field(known, i++) = file;
    field(known, i++) = val_of_int(where.line);
    field(known, i++) = val_of_int(where.start);
    field(known, i++) = val_of_int(where.end);
    if (end_lines) {
        field(known, i++) = val_of_int(where.end_line);
        field(known, i++) = val_of_int(where.end_column);
    }
    field(known, i++) = VAL_FALSE; /* is_inline */
    field(known, i) = definition;
    return known;
}

value prim_convert_raw_backtrace(struct domain *d, value raw) {
    size_t n = length_of(raw);
    value array = VAL_UNIT;
    GC_ROOT(&d->gc, &raw, &array);
    array = new_block(d, n, 0);
    for (size_t i = 0; i < n; i++) {
        value slot = prim_convert_raw_backtrace_slot(d, field(raw, i));
        gc_store(&d->gc, array, i, slot);
    }
    return array;
}

/* The current backtrace, converted. */
value prim_get_exception_backtrace(struct domain *d, value unit) {
    value raw = prim_get_exception_raw_backtrace(d, unit);
    return new_some(d, prim_convert_raw_backtrace(d, raw));
}

value prim_ml_debug_info_status(struct domain *d, value unit) {
    return val_of_int(d->vm->debug_status);
}
