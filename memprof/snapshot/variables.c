/* variables.c - the names in a snapshot: variables of frames and of closures, from debugging
 * information, and fields of modules, from the .cmi files that lie where the program was compiled,
 * beside the program, or in the folder of the standard library.
 *
 * Frames and closures are named by ascending positions in the code, as vm_variables reads one unit
 * at a time. */
#include "gc/assert.h"
#include "gc/walk.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/code/code.h"
#include "vm/marshal/interface.h"
#include "vm/marshal/symbols.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being named. */
struct owner {
    struct mp_named *named;
    enum mp_name_kind kind;
    uint64_t of; /* as in NAME */
};

static void write_name(void *context, const char *text, uint32_t slot) {
    const struct owner *owner = context;
    struct mp_names *names = owner->named->names;
    const uint32_t number = mp_names_string(names, text);
    struct mp_record_name record = {(uint8_t)owner->kind, owner->of, slot, number};
    if (number != 0) mp_write_name(names->writer, &record);
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
        struct owner owner = {named, MP_NAME_VARIABLE, place};
        vm_variables_of_frame(&named->variables, list[i].gpc, (uint32_t)list[i].words, write_name,
                              &owner);
    }
    free(list);
}

void mp_snapshot_name_closures(struct mp_named *named) {
    struct position *list = sorted_positions(named, &named->functions, true);
    for (size_t i = 0; list != NULL && i < named->functions.count; i++) {
        const uint32_t index = (uint32_t)list[i].key;
        struct owner owner = {named, MP_NAME_CAPTURED, mp_names_function(named->names, index)};
        vm_variables_of_closure(&named->variables, index, list[i].words, write_name, &owner);
    }
    free(list);
}

/* ---- Modules. ---- */

struct search {
    const char *module;
    uint64_t fields; /* of the module's block */
    struct vm_interface interface;
    bool found;
};

static void count_only(void *context, const char *name, uint32_t field) {
    (void)context, (void)name, (void)field;
}

/* An interface with another number of fields is not that of this program. */
static void try_folder(void *context, const char *folder, uint32_t place) {
    struct search *s = context;
    (void)place;
    if (s->found || !vm_interface_read(&s->interface, folder, s->module)) return;
    s->found = vm_interface_fields(s->interface.signature, count_only, NULL) == s->fields;
    if (!s->found) vm_interface_free(&s->interface);
}

/* The folder of the program's file. */
static void try_program(const struct vm *vm, struct search *s) {
    char folder[PATH_MAX];
    const char *name = vm->options.executable_name;
    const char *slash = name == NULL ? NULL : strrchr(name, '/');
    const int length = slash == NULL ? 0 : (int)(slash - name);
    if (length < PATH_MAX) {
        snprintf(folder, sizeof folder, "%.*s", length, length == 0 ? "." : name);
        try_folder(s, length == 0 ? "." : folder, 0);
    }
}

static void name_module(struct mp_named *named, uint32_t global, value block) {
    struct vm *vm = named->d->vm;
    struct search s = {.module = vm_global_name(vm, global), .fields = wosize_of(block)};
    const uint64_t gpc = vm_global_code(vm, global);
    if (s.module == NULL || gpc == VM_NO_GPC) return;
    vm_variables_folders(&named->variables, gpc, try_folder, &s);
    try_program(vm, &s);
    if (vm->options.dlls.standard_library != NULL)
        try_folder(&s, vm->options.dlls.standard_library, 0);
    struct owner owner = {named, MP_NAME_FIELD, global};
    if (s.found) vm_interface_fields(s.interface.signature, write_name, &owner);
    vm_interface_free(&s.interface);
}

void mp_snapshot_name_modules(struct mp_named *named) {
    const value globals = named->d->vm->global_data;
    for (uint32_t i = 0; is_block(globals) && i < wosize_of(globals); i++) {
        const value block = field(globals, i);
        uint64_t number;
        if (gc_block_number(&named->d->gc, block, &number) && tag_of(block) == 0)
            name_module(named, i, block);
    }
}

void mp_named_free(struct mp_named *named) {
    vm_variables_free(&named->variables);
    free(named->frames.entries);
    free(named->functions.entries);
    *named = (struct mp_named){.d = named->d, .names = named->names};
}
