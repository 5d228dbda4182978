/* variables.c - the names and types in a snapshot: variables of frames and of closures, from
 * debugging information, fields of modules, from .cmi files, and what blocks of types look like.
 *
 * Frames and closures are named by ascending positions in the code, as vm_variables reads one unit
 * at a time. */
#include "gc/assert.h"
#include "gc/walk.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/base/label.h"
#include "vm/code/code.h"
#include "vm/marshal/constants.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <stdlib.h>

/* What is being named. */
struct owner {
    struct mp_named *named;
    enum mp_name_kind kind;
    uint64_t of;  /* as in NAME */
    uint64_t gpc; /* of a frame or a closure */
};

static void write_typed(const struct owner *owner, const char *text, uint32_t slot, uint32_t type) {
    struct mp_names *names = owner->named->names;
    const uint32_t number = mp_names_string(names, text);
    struct mp_record_name name = {(uint8_t)owner->kind, owner->of, slot, number};
    struct mp_record_typed typed = {type};
    if (number != 0) mp_write_name(names->writer, &name);
    if (number != 0 && type != 0) mp_write_typed(names->writer, &typed);
}

static void write_variable(void *context, const char *text, value ident, uint32_t slot) {
    const struct owner *owner = context;
    uint32_t type = 0;
    if (owner->named->types != NULL && is_block(ident))
        type = mp_types_of_variable(owner->named->types, owner->gpc, ident);
    write_typed(owner, text, slot, type);
}

/* ---- Positions in the code. ---- */

struct position {
    uint64_t gpc, key; /* key: of the table, less 1 */
    uint64_t words;
};

static int by_gpc(const void *a, const void *b) {
    const struct position *x = a, *y = b;
    return (x->gpc > y->gpc) - (x->gpc < y->gpc);
}

static uint64_t function_gpc(const struct vm *vm, uint64_t index) {
    const struct vm_function *f = &vm->functions[index];
    return vm->codes[f->fragment]->base + f->pc;
}

/* The entries of a table, by position; NULL: there are none, or out of memory. */
static struct position *sorted_positions(const struct mp_named *named, const struct word_map *table,
                                         bool functions) {
    struct position *list = table->count == 0 ? NULL : malloc(table->count * sizeof *list);
    size_t count = 0;
    for (size_t i = 0; list != NULL && i < table->capacity; i++) {
        const struct word_entry *entry = &table->entries[i];
        if (entry->key == 0) continue;
        const uint64_t key = entry->key - 1;
        list[count++] = (struct position){functions ? function_gpc(named->d->vm, key) : key, key,
                                          entry->word};
    }
    ASSERT(list == NULL || count == table->count);
    if (count > 1) qsort(list, count, sizeof *list, by_gpc);
    return list;
}

void mp_snapshot_name_frames(struct mp_named *named) {
    struct position *list = sorted_positions(named, &named->frames, false);
    for (size_t i = 0; list != NULL && i < named->frames.count; i++) {
        const uint32_t place = mp_names_location(named->names, list[i].gpc);
        struct owner owner = {named, MP_NAME_VARIABLE, place, list[i].gpc};
        vm_variables_of_frame(&named->variables, list[i].gpc, (uint32_t)list[i].words,
                              write_variable, &owner);
    }
    free(list);
}

void mp_snapshot_name_closures(struct mp_named *named) {
    struct position *list = sorted_positions(named, &named->functions, true);
    for (size_t i = 0; list != NULL && i < named->functions.count; i++) {
        const uint32_t index = (uint32_t)list[i].key;
        struct owner owner = {named, MP_NAME_CAPTURED, mp_names_function(named->names, index),
                              list[i].gpc};
        vm_variables_of_closure(&named->variables, index, list[i].words, write_variable, &owner);
    }
    free(list);
}

/* ---- Modules. ---- */

static void write_field(void *context, const char *name, uint32_t slot, uint32_t type) {
    write_typed(context, name, slot, type);
}

void mp_snapshot_name_modules(struct mp_named *named) {
    const value globals = named->d->vm->global_data;
    if (named->types == NULL) return;
    for (uint32_t i = 0; is_block(globals) && i < wosize_of(globals); i++) {
        const value block = field(globals, i);
        struct owner owner = {named, MP_NAME_FIELD, i, 0};
        uint64_t number;
        if (gc_block_number(&named->d->gc, block, &number) && tag_of(block) == 0)
            mp_types_of_global(named->types, i, wosize_of(block), write_field, &owner);
    }
}

void mp_snapshot_name_exceptions(struct mp_named *named) {
    const value globals = named->d->vm->global_data;
    for (uint32_t i = 0; is_block(globals) && i < VM_PREDEFINED_COUNT && i < wosize_of(globals);
         i++) {
        const struct owner owner = {named, MP_NAME_EXCEPTION, i, 0};
        const uint32_t type = named->types == NULL ? 0 : mp_types_of_exception(named->types, i);
        if (is_block(field(globals, i)) && tag_of(field(globals, i)) == TAG_OBJECT)
            write_typed(&owner, vm_predefined_exceptions[i], 0, type);
    }
}

/* ---- Types. ---- */

static void write_type(void *context, const char *name, enum mp_type_source source) {
    struct mp_names *names = ((struct mp_named *)context)->names;
    struct mp_record_type record = {(uint8_t)source, mp_names_string(names, name)};
    mp_write_type(names->writer, &record);
}

static void write_shape(void *context, enum mp_shape_kind kind, unsigned tag,
                        const char *constructor) {
    struct mp_named *named = context;
    struct mp_record_shape record = {(uint8_t)kind, (uint8_t)tag, 0};
    if (constructor != NULL) record.constructor = mp_names_string(named->names, constructor);
    mp_write_shape(named->names->writer, &record);
    if (kind != MP_SHAPE_LABEL || record.constructor == 0) return;
    uintptr_t *text = word_map_add(&named->labels, (uintptr_t)vm_label_hash(constructor + 1), 64,
                                   NULL);
    if (text != NULL) *text = record.constructor;
}

static void write_member(void *context, const char *name, uint32_t type) {
    struct mp_names *names = ((struct mp_named *)context)->names;
    struct mp_record_member record = {.type = type};
    if (name != NULL) record.name = mp_names_string(names, name);
    mp_write_member(names->writer, &record);
}

void mp_snapshot_types(struct mp_named *named) {
    const struct mp_type_output output = {named, write_type, write_shape, write_member};
    if (named->types != NULL) mp_types_describe(named->types, &output);
}

static void write_label(void *context, value v) {
    struct mp_named *named = context;
    struct mp_record_label record;
    if (tag_of(v) != 0 || wosize_of(v) != 2 || !is_int(field(v, 0))) return;
    const uintptr_t *text = word_map_find(&named->labels, (uintptr_t)field(v, 0));
    if (text == NULL || !gc_block_number(&named->d->gc, v, &record.block)) return;
    record.text = *text;
    mp_write_label(named->names->writer, &record);
}

void mp_snapshot_labels(struct mp_named *named) {
    if (named->labels.count > 0) gc_walk_blocks(&named->d->gc, write_label, named);
}

void mp_named_free(struct mp_named *named) {
    vm_variables_free(&named->variables);
    mp_types_free(named->types);
    free(named->frames.entries);
    free(named->functions.entries);
    free(named->labels.entries);
    mp_objects_free(&named->objects);
    *named = (struct mp_named){.d = named->d, .names = named->names};
}
