/* variables.c - see variables.h. Events are marshalled values that a file may have damaged: the
 * shape of each part is tested, and trees and lists are followed up to a bound. */
#include "vm/marshal/variables.h"

#include "gc/assert.h"
#include "vm/code/code.h"
#include "vm/code/opcodes.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/symbols.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_EVENTS = IF_SMALL_TABLES(1, 256), MOST_VARIABLES = 1000, MOST_DEPTH = 60 };

/* Fields of events, of environments (before OCaml 5.2, and since), of identifiers, of nodes. */
enum {
    EVENT_POSITION = 0,
    EVENT_KIND = 3,
    EVENT_ENVIRONMENT = 8,
    EVENT_STACK_SIZE = 9,
    EVENT_FIELDS = 11
};
enum { OLD_STACK, OLD_HEAP, OLD_FIELDS = 3 };
enum { NEW_STACK, NEW_CLOSURE, NEW_FIELDS = 2, FREE_VARIABLE = 0 };
enum { IDENT_NAME, IDENT_STAMP, IDENT_LOCAL = 0, IDENT_SCOPED = 1 };
enum { NODE_LEFT, NODE_DATA, NODE_RIGHT, NODE_FIELDS = 4, DATA_IDENT = 0, DATA_VALUE = 1 };
enum { KIND_PSEUDO = 1 };
enum { CLOSURE_HEAD = 2, FUNCTION_FIELDS = 3, PARTIAL_HEAD = 3, PARTIAL_FUNCTION = 2 };

struct variable {
    const char *name;
    value ident, stamp;
    intptr_t position;
};

struct vm_variables_list {
    struct variable list[MOST_VARIABLES];
    size_t count;
};

static bool is_record(value v, size_t fields, unsigned tag) {
    return is_block(v) && tag_of(v) == tag && wosize_of(v) >= fields;
}

/* ---- The events of a unit. ---- */

static void forget(struct vm_variables *v) {
    vm_arena_free(&v->arena);
    v->arena = (struct vm_arena){0};
    v->events.count = 0;
    v->start = v->end = 0;
}

void vm_variables_free(struct vm_variables *v) {
    forget(v);
    free(v->events.items);
    free(v->lists);
    *v = (struct vm_variables){.vm = v->vm};
}

static int by_gpc(const void *a, const void *b) {
    const struct vm_variables_event *x = a, *y = b;
    return (x->gpc > y->gpc) - (x->gpc < y->gpc);
}

/* Pseudo events between functions have no environment: there is nothing in the frame then. */
static bool is_empty(value event) {
    return field(event, EVENT_KIND) == val_of_int(KIND_PSEUDO) &&
           field(event, EVENT_STACK_SIZE) == val_of_int(0);
}

static void list_events(struct vm_variables *v, const struct vm_debug_events *events) {
    size_t limit = events->bytes;
    for (value list = events->list; is_record(list, 2, 0) && limit > 0; list = field(list, 1)) {
        value event = field(list, 0);
        limit--;
        if (!is_record(event, EVENT_FIELDS, 0) || !is_int(field(event, EVENT_POSITION)) ||
            is_empty(event))
            continue;
        const uint64_t at = (uint64_t)int_of_val(field(event, EVENT_POSITION)) / 4;
        const struct vm_variables_event row = {events->start + at, event};
        if (!vector_push(&v->events, row, FIRST_EVENTS, NULL)) return;
    }
    if (v->events.count > 1)
        qsort(v->events.items, v->events.count, sizeof *v->events.items, by_gpc);
}

/* Has the unit of a gpc in memory. False: it has no events. */
static bool read_unit(struct vm_variables *v, uint64_t gpc) {
    struct vm_debug_events events;
    if (gpc >= v->start && gpc < v->end) return v->events.count > 0;
    forget(v);
    if (v->lists == NULL) v->lists = calloc(2, sizeof *v->lists);
    if (v->lists == NULL) return false;
    if (!vm_debuginfo_read_events(v->vm, gpc, &v->arena, &events)) return false;
    v->start = events.start;
    v->end = events.end;
    list_events(v, &events);
    return v->events.count > 0;
}

/* The last event at or before a gpc, and the first at or after it; NULL: none in its unit. */
static void events_around(const struct vm_variables *v, uint64_t gpc,
                          const struct vm_variables_event **before,
                          const struct vm_variables_event **after) {
    const struct vm_variables_event *events = v->events.items;
    size_t n = sorted_prefix(v->events.count, i, events[i].gpc <= gpc);
    *before = n > 0 ? &events[n - 1] : NULL;
    *after = n < v->events.count ? &events[n] : NULL;
    if (*before != NULL && (*before)->gpc == gpc) *after = *before;
}

/* ---- Environments. ---- */

/* A position, or since OCaml 5.2 in a closure a free variable's. False: neither. */
static bool position_of(value v, intptr_t *position) {
    if (is_record(v, 1, FREE_VARIABLE)) v = field(v, 0);
    if (!is_int(v)) return false;
    *position = int_of_val(v);
    return true;
}

/* Adds the variables of a table of identifiers (a balanced tree). */
static void add_table(struct vm_variables_list *to, value table, unsigned depth) {
    if (!is_record(table, NODE_FIELDS, 0) || depth > MOST_DEPTH || to->count == MOST_VARIABLES)
        return;
    add_table(to, field(table, NODE_LEFT), depth + 1);
    const value data = field(table, NODE_DATA);
    const value ident = is_record(data, 2, 0) ? field(data, DATA_IDENT) : val_of_int(0);
    struct variable variable = {.ident = ident};
    if ((is_record(ident, 2, IDENT_LOCAL) || is_record(ident, 2, IDENT_SCOPED)) &&
        is_block(field(ident, IDENT_NAME)) && tag_of(field(ident, IDENT_NAME)) == TAG_STRING &&
        position_of(field(data, DATA_VALUE), &variable.position) && to->count < MOST_VARIABLES) {
        variable.name = string_bytes(field(ident, IDENT_NAME));
        variable.stamp = field(ident, IDENT_STAMP);
        to->list[to->count++] = variable;
    }
    add_table(to, field(table, NODE_RIGHT), depth + 1);
}

/* The variables of an event in the frame, or in the closure. */
static void list_variables(struct vm_variables_list *out, value event, bool in_closure) {
    const value environment = field(event, EVENT_ENVIRONMENT);
    out->count = 0;
    if (is_record(environment, OLD_FIELDS, 0)) {
        add_table(out, field(environment, in_closure ? OLD_HEAP : OLD_STACK), 0);
    } else if (is_record(environment, NEW_FIELDS, 0)) {
        value table = field(environment, in_closure ? NEW_CLOSURE : NEW_STACK);
        if (in_closure) table = is_record(table, 1, 0) ? field(table, 0) : val_of_int(0);
        add_table(out, table, 0);
    }
}

static bool has(const struct vm_variables_list *all, const struct variable *one) {
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].position == one->position && all->list[i].stamp == one->stamp &&
            strcmp(all->list[i].name, one->name) == 0)
            return true;
    return false;
}

/* How many parameters the function has that begins at a gpc, or after a RESTART there. */
static intptr_t arity_at(const struct vm *vm, uint64_t gpc) {
    if (vm_opcode_at(vm, gpc) == OP_RESTART) gpc++;
    if (vm_opcode_at(vm, gpc) != OP_GRAB) return 1;
    const struct vm_code *code = vm_code_at(vm, gpc);
    return (intptr_t)vm_word(&code->words, (uint32_t)(gpc - code->base) + 1) + 1;
}

/* ---- Frames. ---- */

/* The words at the bottom of a frame that are parameters at a gpc after an event. */
static intptr_t parameters_of(struct vm *vm, uint64_t gpc, uint64_t event) {
    char function[300];
    const char *module = vm_symbol_at(vm, gpc, function, sizeof function);
    const uint64_t start = vm_function_start(vm, gpc);
    bool is_function = start > 0 && module != NULL && strcmp(module, function) != 0;
    return is_function && event >= start ? arity_at(vm, start) : 0;
}

void vm_variables_of_frame(struct vm_variables *v, uint64_t gpc, uint32_t height,
                           vm_variable_visitor *f, void *context) {
    const struct vm_variables_event *before, *after;
    if (!read_unit(v, gpc)) return;
    struct vm_variables_list *found = &v->lists[0], *others = &v->lists[1];
    events_around(v, gpc, &before, &after);
    if (before == NULL) return;
    list_variables(found, before->event, false);
    others->count = 0;
    if (after != NULL) list_variables(others, after->event, false);
    const intptr_t parameters = parameters_of(v->vm, gpc, before->gpc);
    for (size_t i = 0; i < found->count; i++) { /* VN1 */
        const struct variable *one = &found->list[i];
        bool known = one->position <= parameters || has(others, one);
        if (known && one->position > 0 && one->position <= (intptr_t)height)
            f(context, one->name, one->ident, height - (uint32_t)one->position);
    }
}

/* ---- Closures. ---- */

/* The arguments of a partial application: the last parameters are missing. */
static void visit_partial(struct vm_variables *v, uint64_t start, uint64_t wosize,
                          vm_variable_visitor *f, void *context) {
    const struct vm_variables_event *before, *after;
    struct vm_variables_list *found = &v->lists[0];
    const intptr_t arity = arity_at(v->vm, start);
    events_around(v, start, &before, &after);
    if (after == NULL || wosize < PARTIAL_HEAD) return;
    list_variables(found, after->event, false);
    for (size_t i = 0; i < found->count; i++) {
        const struct variable *one = &found->list[i];
        const intptr_t argument = arity - one->position; /* from 0 */
        bool is_parameter = argument >= 0 && one->position > 0;
        if (is_parameter && (uint64_t)argument < wosize - PARTIAL_HEAD)
            f(context, one->name, one->ident, PARTIAL_HEAD + (uint32_t)argument);
    }
    f(context, "the function", val_of_int(0), PARTIAL_FUNCTION);
}

/* Whether the variables are all that a closure block of that size has room for: then they are
 * those of this function, not of the next one, if this one has no event. */
static bool fits(const struct vm_variables_list *all, uint64_t wosize) {
    intptr_t least = INTPTR_MAX;
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].position < least) least = all->list[i].position;
    return all->count > 0 && least >= CLOSURE_HEAD &&
           (least - CLOSURE_HEAD) % FUNCTION_FIELDS == 0 && (uint64_t)least + all->count == wosize;
}

void vm_variables_of_closure(struct vm_variables *v, uint32_t function, uint64_t wosize,
                             vm_variable_visitor *f, void *context) {
    const struct vm_function *row = &v->vm->functions[function];
    const uint64_t start = v->vm->codes[row->fragment]->base + row->pc;
    const struct vm_variables_event *before, *after;
    if (!read_unit(v, start)) return;
    struct vm_variables_list *found = &v->lists[0];
    if (row->kind == FUNCTION_RESTART) {
        visit_partial(v, start, wosize, f, context);
        return;
    }
    events_around(v, start, &before, &after);
    if (after == NULL) return;
    list_variables(found, after->event, true);
    if (!fits(found, wosize)) return;
    for (size_t i = 0; i < found->count; i++)
        f(context, found->list[i].name, found->list[i].ident, (uint32_t)found->list[i].position);
}

/* ---- Folders. ---- */

void vm_variables_folders(struct vm_variables *v, uint64_t gpc, vm_variable_visitor *f,
                          void *context) {
    struct vm_arena arena = {0};
    value list = val_of_int(0);
    size_t limit = MOST_VARIABLES;
    if (!vm_debuginfo_read_folders(v->vm, gpc, &arena, &list)) list = val_of_int(0);
    for (; is_record(list, 2, 0) && limit-- > 0; list = field(list, 1))
        if (is_block(field(list, 0)) && tag_of(field(list, 0)) == TAG_STRING)
            f(context, string_bytes(field(list, 0)), val_of_int(0), 0);
    vm_arena_free(&arena);
}
