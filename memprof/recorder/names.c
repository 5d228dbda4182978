/* names.c - see names.h. */
#include "memprof/recorder/names.h"

#include "vm/code/code.h"
#include "vm/code/opcodes.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/symbols.h"
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

/* ---- Texts. ---- */

uint32_t mp_names_text(struct mp_names *n, const char *text, size_t length) {
    struct mp_record_string record = {{text, length}};
    mp_write_string(n->writer, &record);
    return ++n->string_count;
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

uint32_t mp_names_string(struct mp_names *n, const char *text) {
    if (text[0] == 0) return 0;
    uint64_t key = hash_text(text);
    uint32_t number = find(&n->strings, key);
    if (number != 0) return number;
    number = mp_names_text(n, text, strlen(text));
    add(&n->strings, key, number);
    return number;
}

/* ---- Locations. ---- */

static uint64_t not_negative(int n) { return n < 0 ? 0 : (uint64_t)n; }

/* A program can observe whether debugging information was read: this must not change that. */
static bool find_location(struct mp_names *n, uint64_t gpc, struct vm_location *location) {
    struct vm *vm = n->vm;
    int shown = vm->debug_status;
    if (n->debug_read || vm->debug != NULL) vm->debug_status = VM_DEBUG_READ;
    bool found = vm_debuginfo_find(vm, gpc, location);
    /* The compiler makes no event for an effect that is performed in tail position. */
    if (!found && gpc > 0 && vm_opcode_at(vm, gpc - 1) == OP_PERFORM)
        found = vm_debuginfo_find_before(vm, gpc, vm_function_start(vm, gpc), location);
    n->debug_read = true;
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
static void name_without_debug(struct mp_names *n, uint64_t gpc,
                               struct mp_record_location *record) {
    struct vm *vm = n->vm;
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
    if (name != NULL) record->definition = mp_names_string(n, name);
    if (module != NULL) record->file = mp_names_string(n, module);
}

/* Events of code that the compiler generates have no location, or only a function. */
static bool names_file(const struct vm_location *location) {
    return location->file[0] != 0 && strcmp(location->file, "_none_") != 0;
}

/* Defines the location of a gpc, with the names of another one; part: of a partial application. */
static uint32_t define(struct mp_names *n, uint64_t gpc, uint64_t named, bool part) {
    struct mp_record_location record = {.code = gpc};
    struct vm_location location;
    char text[1024];
    bool found = find_location(n, named, &location);
    if (found && part) {
        snprintf(text, sizeof text, "%s, applied in part", location.definition);
        location.definition = text;
    }
    if (found && names_file(&location)) {
        record.file = mp_names_string(n, location.file);
        record.definition = mp_names_string(n, location.definition);
        record.line = not_negative(location.line);
        record.start = not_negative(location.start);
        record.end = not_negative(location.end);
    } else {
        name_without_debug(n, gpc, &record);
        if (found && location.definition[0] != 0 && strcmp(location.definition, "??") != 0)
            record.definition = mp_names_string(n, location.definition);
    }
    mp_write_location(n->writer, &record);
    const uint32_t number = ++n->location_count;
    add(&n->locations, gpc + 1, number);
    return number;
}

uint32_t mp_names_location(struct mp_names *n, uint64_t gpc) {
    const uint32_t number = mp_names_known(n, gpc);
    return number != 0 ? number : define(n, gpc, gpc, false);
}

/* Whether an event is at a gpc itself. */
static bool has_event(struct mp_names *n, uint64_t gpc) {
    struct vm_location location;
    return find_location(n, gpc, &location) &&
           vm_debuginfo_find_before(n->vm, gpc, gpc, &location) && names_file(&location);
}

uint32_t mp_names_before(struct mp_names *n, uint64_t gpc) {
    const uint32_t number = mp_names_known(n, gpc);
    const uint64_t start = vm_function_start(n->vm, gpc);
    uint64_t named = gpc;
    if (number != 0) return number;
    while (named > start && !has_event(n, named)) named--;
    return define(n, gpc, named, false);
}

/* How far into a function its first event is searched for, in words. */
enum { FUNCTION_START_WORDS = 200 };

/* The first gpc in a function that has a location; its start: none has. */
static uint64_t first_named(struct mp_names *n, const struct vm_code *code, uint64_t start) {
    const uint64_t end = code->base + code->word_count;
    struct vm_location location;
    for (uint64_t gpc = start; gpc < end && gpc - start < FUNCTION_START_WORDS; gpc++)
        if (find_location(n, gpc, &location) && names_file(&location))
            return vm_function_start(n->vm, gpc) > start ? start : gpc;
    return start;
}

uint32_t mp_names_function(struct mp_names *n, uint32_t index) {
    const struct vm_function *f = &n->vm->functions[index];
    const struct vm_code *code = n->vm->codes[f->fragment];
    const uint64_t start = code->base + f->pc;
    if (f->kind != FUNCTION_RESTART) return mp_names_location(n, first_named(n, code, start));
    const uint32_t number = mp_names_known(n, start);
    return number != 0 ? number : define(n, start, first_named(n, code, start + 1), true);
}

const char *mp_names_definition(struct mp_names *n, uint32_t index) {
    const struct vm_function *f = &n->vm->functions[index];
    const struct vm_code *code = n->vm->codes[f->fragment];
    struct vm_location location;
    bool found = find_location(n, first_named(n, code, code->base + f->pc), &location);
    return found && names_file(&location) ? location.definition : NULL;
}

void mp_names_clear(struct mp_names *n) {
    free(n->locations.entries);
    free(n->strings.entries);
    *n = (struct mp_names){.vm = n->vm, .writer = n->writer, .debug_read = n->debug_read};
}
