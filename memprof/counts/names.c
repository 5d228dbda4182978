/* names.c - what the sources file says: names of functions, and which calls were seen. */
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

/* ---- Tables by source and by name grow together. ---- */

static bool widen(void *array, uint32_t before, uint32_t count, size_t size) {
    char **slot = array, *p = realloc(*slot, count * size);
    if (p == NULL) return false;
    memset(p + before * size, 0, (count - before) * size);
    *slot = p;
    return true;
}

static bool widen_sources(struct mp_counts *u, uint32_t count) {
    uint32_t before = u->source_count;
    return widen(&u->name_of, before, count, sizeof *u->name_of) &&
           widen(&u->next_source, before, count, sizeof *u->next_source) &&
           widen(&u->calls, before, count, sizeof *u->calls) &&
           widen(&u->last_caller, before, count, sizeof *u->last_caller) &&
           widen(&u->open_sources, before, count, sizeof *u->open_sources);
}

static bool widen_names(struct mp_counts *u) {
    uint32_t before = u->name_capacity, count = 2 * before + 64;
    if (u->name_count < before) return true;
    if (!widen(&u->names, before, count, sizeof *u->names) ||
        !widen(&u->first_source, before, count, sizeof *u->first_source) ||
        !widen(&u->open_names, before, count, sizeof *u->open_names))
        return false;
    u->name_capacity = count;
    return true;
}

static bool widen_unit(const struct mp_counts *u, struct mp_unit *unit) {
    if (!widen(&unit->own, unit->source_capacity, u->source_count, sizeof *unit->own)) return false;
    if (u->stacks &&
        (!widen(&unit->sources, unit->source_capacity, u->source_count, sizeof *unit->sources) ||
         !widen(&unit->names, unit->name_capacity, u->name_capacity, sizeof *unit->names)))
        return false;
    unit->source_capacity = u->source_count;
    unit->name_capacity = u->name_capacity;
    return true;
}

/* ---- Names. ---- */

static int compare_names(const void *a, const void *b) {
    return strcmp(((const struct mp_counts_name *)a)->text,
                  ((const struct mp_counts_name *)b)->text);
}

/* The number of a name, whose text it takes over. -1: no memory. */
static int64_t intern(struct mp_counts *u, char *text) {
    struct mp_counts_name *name = text == NULL ? NULL : malloc(sizeof *name);
    if (name == NULL || !widen_names(u)) {
        free(name);
        free(text);
        return -1;
    }
    *name = (struct mp_counts_name){text, u->name_count};
    struct mp_counts_name **found = tsearch(name, &u->name_tree, compare_names);
    if (found == NULL || *found != name) {
        free(name);
        free(text);
        return found == NULL ? -1 : (int64_t)(*found)->number;
    }
    u->names[u->name_count] = text;
    return u->name_count++;
}

/* The file's lines end where they should, whatever a source file is called. */
static void make_one_line(char *text) {
    for (; *text != 0; text++)
        if ((unsigned char)*text < ' ') *text = '?';
}

/* Allocated; NULL: no memory. */
static char *name_of_source(struct mp_counts *u, uint32_t source) {
    struct vm *vm = u->d->vm;
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

static bool describe_source(struct mp_counts *u, uint32_t source) {
    int64_t number = intern(u, name_of_source(u, source));
    if (number < 0) return false;
    u->name_of[source] = (uint32_t)number;
    u->next_source[source] = u->first_source[number];
    u->first_source[number] = source + 1;
    u->source_count = source + 1;
    return true;
}

bool mp_counts_describe(struct mp_counts *u) {
    struct vm *vm = u->d->vm;
    uint32_t count = mp_source_of_place(vm->function_ids.count);
    if (count <= u->source_count) return true;
    mp_counts_begin(u);
    bool enough = widen_sources(u, count);
    /* The program can ask whether debugging information was read: not on our account. */
    int shown = vm->debug_status;
    while (enough && u->source_count < count) enough = describe_source(u, u->source_count);
    vm->debug_status = shown;
    for (struct mp_unit *unit = u->units; unit != NULL && enough; unit = unit->next)
        enough = widen_unit(u, unit);
    mp_counts_end(u);
    return enough;
}

struct mp_unit *mp_unit_create(struct mp_counts *u) {
    struct mp_unit *unit = calloc(1, sizeof *unit);
    if (unit == NULL || !widen_unit(u, unit)) {
        if (unit != NULL) mp_unit_release(unit);
        return NULL;
    }
    unit->id = ++u->last_id;
    unit->next = u->units;
    u->units = unit;
    return unit;
}

void mp_unit_release(struct mp_unit *unit) {
    free(unit->own);
    free(unit->sources);
    free(unit->names);
    free(unit);
}

/* ---- Calls. ---- */

static int compare_edges(const void *a, const void *b) {
    const struct mp_counts_edge *x = a, *y = b;
    if (x->caller != y->caller) return x->caller < y->caller ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Without memory an edge is missing in the graph: no count depends on it. */
void mp_counts_note_call(struct mp_counts *u, uint32_t caller, uint32_t callee) {
    uint32_t source = mp_source_of_place(caller), called = mp_source_of_place(callee);
    struct mp_counts_edge key = {caller, callee, NULL};
    if (source >= u->source_count || called >= u->source_count) return;
    if (u->last_caller[called] == caller + 1) return;
    u->last_caller[called] = caller + 1;
    if (tfind(&key, &u->edge_tree, compare_edges) != NULL) return;
    struct mp_counts_edge *edge = malloc(sizeof *edge);
    if (edge == NULL) return;
    mp_counts_begin(u);
    *edge = (struct mp_counts_edge){caller, callee, u->calls[source]};
    if (tsearch(edge, &u->edge_tree, compare_edges) == NULL) free(edge);
    else u->calls[source] = edge;
    mp_counts_end(u);
}

static void free_name(void *node) {
    free(((struct mp_counts_name *)node)->text);
    free(node);
}

void mp_counts_free_names(struct mp_counts *u) {
    tdestroy(u->name_tree, free_name);
    tdestroy(u->edge_tree, free);
    free(u->name_of);
    free(u->next_source);
    free(u->calls);
    free(u->last_caller);
    free(u->open_sources);
    free(u->names);
    free(u->first_source);
    free(u->open_names);
}
