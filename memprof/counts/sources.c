/* sources.c - what the sources file holds: names of functions, and the calls that were seen. */
#include "memprof/counts/counts_internal.h"
#include "vm/code/function_id.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/symbols.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables by source and by name, which grow together. ---- */

static bool widen(void *array, uint32_t before, uint32_t count, size_t size) {
    char **slot = array, *p = realloc(*slot, count * size);
    if (p == NULL) return false;
    memset(p + before * size, 0, (count - before) * size);
    *slot = p;
    return true;
}

static bool widen_sources(struct mp_counts *c, uint32_t count) {
    uint32_t before = c->source_count;
    return widen(&c->name_of, before, count, sizeof *c->name_of) &&
           widen(&c->next_source, before, count, sizeof *c->next_source) &&
           widen(&c->first_call, before, count, sizeof *c->first_call) &&
           widen(&c->last_caller, before, count, sizeof *c->last_caller) &&
           widen(&c->open_sources, before, count, sizeof *c->open_sources);
}

static bool widen_names(struct mp_counts *c) {
    uint32_t before = c->name_capacity, count = 2 * before + 64;
    if (c->name_count < before) return true;
    if (!widen(&c->names, before, count, sizeof *c->names) ||
        !widen(&c->first_source, before, count, sizeof *c->first_source) ||
        !widen(&c->open_names, before, count, sizeof *c->open_names))
        return false;
    c->name_capacity = count;
    return true;
}

static bool widen_set(const struct mp_counts *c, struct mp_count_set *set) {
    if (!widen(&set->own, set->source_capacity, c->source_count, sizeof *set->own)) return false;
    if (c->stacks &&
        (!widen(&set->sources, set->source_capacity, c->source_count, sizeof *set->sources) ||
         !widen(&set->names, set->name_capacity, c->name_capacity, sizeof *set->names)))
        return false;
    set->source_capacity = c->source_count;
    set->name_capacity = c->name_capacity;
    return true;
}

/* ---- Names. ---- */

static int compare_names(const void *a, const void *b) {
    return strcmp(((const struct mp_counts_name *)a)->text,
                  ((const struct mp_counts_name *)b)->text);
}

/* The number of a name, whose text it takes over. -1: out of memory. */
static int64_t intern(struct mp_counts *c, char *text) {
    struct mp_counts_name *name = text == NULL ? NULL : malloc(sizeof *name);
    if (name == NULL || !widen_names(c)) {
        free(name);
        free(text);
        return -1;
    }
    *name = (struct mp_counts_name){text, c->name_count};
    struct mp_counts_name **found = tsearch(name, &c->name_tree, compare_names);
    if (found == NULL || *found != name) {
        free(name);
        free(text);
        return found == NULL ? -1 : (int64_t)(*found)->number;
    }
    c->names[c->name_count] = text;
    return c->name_count++;
}

/* No name may break the file's lines, whatever the names of source files. */
static void make_one_line(char *text) {
    for (; *text != 0; text++)
        if ((unsigned char)*text < ' ') *text = '?';
}

/* Allocated; NULL: out of memory. */
static char *name_of_source(struct mp_counts *c, uint32_t source) {
    struct vm *vm = c->d->vm;
    struct vm_location at;
    char *text = NULL;
    if (source == SOURCE_UNKNOWN) return strdup("<unknown>");
    if (source == SOURCE_GC) return strdup("<gc>");
    if (vm_function_id_is_main(vm, source - 1)) return strdup("<main>");
    uint64_t gpc = vm_function_id_gpc(vm, source - 1);
    bool known = vm_debuginfo_find(vm, gpc, &at) && at.definition[0] != 0;
    char function[300];
    int length;
    if (known) length = asprintf(&text, "%s\n%s: %d", at.definition, at.file, at.line);
    else if (vm_symbol_at(vm, gpc, function, sizeof function) != NULL)
        length = asprintf(&text, "%s", function);
    else length = asprintf(&text, "<code %" PRIu64 ">", gpc);
    if (length < 0) return NULL;
    size_t name_length = strcspn(text, "\n");
    make_one_line(text);
    if (known) text[name_length] = '\t';
    return text;
}

static bool describe_source(struct mp_counts *c, uint32_t source) {
    int64_t number = intern(c, name_of_source(c, source));
    if (number < 0) return false;
    ASSERT(source == c->source_count && number < c->name_capacity);
    c->name_of[source] = (uint32_t)number;
    c->next_source[source] = c->first_source[number];
    c->first_source[number] = source + 1;
    c->source_count = source + 1;
    return true;
}

bool mp_counts_describe(struct mp_counts *c) {
    struct vm *vm = c->d->vm;
    uint32_t count = mp_source_of_function(vm->function_ids.count);
    if (count <= c->source_count) return true;
    mp_counts_lock(c);
    bool enough = widen_sources(c, count);
    /* A program can observe whether debugging information was read: this must not change that. */
    int shown = vm->debug_status;
    while (enough && c->source_count < count) enough = describe_source(c, c->source_count);
    vm->debug_status = shown;
    for (struct mp_count_set *set = c->sets; set != NULL && enough; set = set->next)
        enough = widen_set(c, set);
    mp_counts_unlock(c);
    return enough;
}

struct mp_count_set *mp_count_set_create(struct mp_counts *c) {
    struct mp_count_set *set = calloc(1, sizeof *set);
    if (set == NULL || !widen_set(c, set)) {
        if (set != NULL) mp_count_set_release(set);
        return NULL;
    }
    set->id = ++c->last_id;
    set->next = c->sets;
    c->sets = set;
    return set;
}

void mp_count_set_release(struct mp_count_set *set) {
    free(set->own);
    free(set->sources);
    free(set->names);
    free(set);
}

/* ---- Calls. ---- */

/* When out of memory the graph lacks a call: no count depends on it. */
void mp_counts_record_call(struct mp_counts *c, uint32_t caller, uint32_t callee) {
    uint32_t source = mp_source_of_function(caller), called = mp_source_of_function(callee);
    if (source >= c->source_count || called >= c->source_count) return;
    if (c->last_caller[called] == caller + 1) return;
    c->last_caller[called] = caller + 1;
    uintptr_t *known = word_map_add(&c->known_calls, (uint64_t)(source + 1) << 32 | called, 64,
                                    NULL);
    if (known == NULL || *known != 0) return;
    mp_counts_lock(c);
    struct mp_counts_call call = {called, c->first_call[source]};
    if (vector_push(&c->calls, call, 64, NULL)) {
        *known = 1;
        c->first_call[source] = (uint32_t)c->calls.count;
    }
    mp_counts_unlock(c);
}

static void free_name(void *node) {
    free(((struct mp_counts_name *)node)->text);
    free(node);
}

void mp_counts_free_sources(struct mp_counts *c) {
    tdestroy(c->name_tree, free_name);
    free(c->known_calls.entries);
    free(c->calls.items);
    free(c->name_of);
    free(c->next_source);
    free(c->first_call);
    free(c->last_caller);
    free(c->open_sources);
    free(c->names);
    free(c->first_source);
    free(c->open_names);
}
