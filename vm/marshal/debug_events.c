/* debug_events.c - see debugevents.h. */
#include "vm/marshal/debug_events.h"

#include "gc/small_tables.h"

#include <stdlib.h>
#include <string.h>

static bool grow(void **array, size_t needed, size_t *capacity, size_t size) {
    if (needed <= *capacity) return true;
    size_t more = needed + needed / 2 + 64;
    void *p = realloc(*array, more * size);
    if (p == NULL) return false;
    *array = p;
    *capacity = more;
    return true;
}

/* ---- Texts. ---- */

struct vm_debug_met {
    value text; /* 0: free */
    uint32_t number;
};

static uint32_t hash_of(const char *text, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static void enter(struct vm_debugevents *t, uint32_t number) {
    const char *text = t->texts[number];
    uint32_t mask = t->bucket_count - 1, at = hash_of(text, strlen(text)) & mask;
    while (t->buckets[at] != 0) at = (at + 1) & mask;
    t->buckets[at] = number + 1;
}

static bool grow_buckets(struct vm_debugevents *t) {
    if (2 * (t->text_count + 1) < t->bucket_count) return true;
    uint32_t count = t->bucket_count == 0 ? IF_SMALL_TABLES(2, 256) : 2 * t->bucket_count;
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (buckets == NULL) return false;
    free(t->buckets);
    t->buckets = buckets;
    t->bucket_count = count;
    for (uint32_t i = 0; i < t->text_count; i++) enter(t, i);
    return true;
}

static struct vm_debug_met *met_place(struct vm_debugevents *t, value text) {
    size_t mask = t->met_capacity - 1, at = ((size_t)text >> 3) * 0x9E3779B97F4A7C15u >> 20;
    for (at &= mask; t->met[at].text != 0 && t->met[at].text != text;) at = (at + 1) & mask;
    return &t->met[at];
}

static bool grow_met(struct vm_debugevents *t) {
    if (2 * (t->met_count + 1) < t->met_capacity) return true;
    struct vm_debug_met *old = t->met;
    size_t old_capacity = t->met_capacity,
           more = old_capacity == 0 ? IF_SMALL_TABLES(2, 64) : 2 * old_capacity;
    struct vm_debug_met *met = calloc(more, sizeof *met);
    if (met == NULL) return false;
    t->met = met;
    t->met_capacity = more;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].text != 0) *met_place(t, old[i].text) = old[i];
    free(old);
    return true;
}

static void forget_met(struct vm_debugevents *t) {
    free(t->met);
    t->met = NULL;
    t->met_count = t->met_capacity = 0;
}

/* The number of a text; what is behind a NUL is dropped, as it is never printed. */
static bool intern_new(struct vm_debugevents *t, value s, uint32_t *number) {
    const char *text = string_bytes(s);
    size_t n = strlen(text);
    if (!grow_buckets(t)) return false;
    uint32_t mask = t->bucket_count - 1;
    for (uint32_t at = hash_of(text, n) & mask; t->buckets[at] != 0; at = (at + 1) & mask) {
        *number = t->buckets[at] - 1;
        if (strcmp(t->texts[*number], text) == 0) return true;
    }
    size_t capacity = t->text_capacity;
    char *copy = vm_arena_alloc(&t->arena, n + 1);
    if (copy == NULL || t->text_count == UINT32_MAX / 4 ||
        !grow((void **)&t->texts, t->text_count + 1, &capacity, sizeof *t->texts))
        return false;
    t->text_capacity = (uint32_t)capacity;
    t->texts[t->text_count] = memcpy(copy, text, n + 1);
    *number = t->text_count++;
    enter(t, *number);
    return true;
}

/* The same, at once for a block that was met before: millions of events of a hostile file may share
 * a text of megabytes. */
static bool intern(struct vm_debugevents *t, value s, uint32_t *number) {
    if (!grow_met(t)) return false;
    struct vm_debug_met *place = met_place(t, s);
    if (place->text == 0) {
        if (!intern_new(t, s, number)) return false;
        *place = (struct vm_debug_met){s, *number};
        t->met_count++;
    }
    *number = place->number;
    return true;
}

/* ---- Events. ---- */

static bool is_record(value v, size_t fields) {
    return is_block(v) && tag_of(v) == 0 && wosize_of(v) >= fields;
}
static bool is_text(value v) { return is_block(v) && tag_of(v) == TAG_STRING; }

enum { EVENT_POSITION, EVENT_MODULE, EVENT_LOCATION, EVENT_KIND, EVENT_DEFINITION };
enum { POSITION_FILE, POSITION_LINE, POSITION_LINE_START, POSITION_CHARACTER, POSITION_FIELDS };

static bool is_position(value v) {
    return is_record(v, POSITION_FIELDS) && is_text(field(v, POSITION_FILE)) &&
           is_int(field(v, POSITION_LINE)) && is_int(field(v, POSITION_LINE_START)) &&
           is_int(field(v, POSITION_CHARACTER));
}

static bool is_event(value v) {
    return is_record(v, EVENT_DEFINITION + 1) && is_int(field(v, EVENT_POSITION)) &&
           is_text(field(v, EVENT_MODULE)) && is_record(field(v, EVENT_LOCATION), 2) &&
           is_position(field(field(v, EVENT_LOCATION), 0)) &&
           is_position(field(field(v, EVENT_LOCATION), 1)) && is_text(field(v, EVENT_DEFINITION));
}

/* Event_before and Event_pseudo are constants, Event_after carries a type. */
static enum vm_event_kind kind_of(value v) {
    if (is_block(v)) return VM_EVENT_AFTER;
    return int_of_val(v) == 0 ? VM_EVENT_BEFORE : VM_EVENT_PSEUDO;
}

static bool add_event(struct vm_debugevents *t, value v, uint64_t start) {
    if (!is_event(v) || !grow((void **)&t->events, t->count + 1, &t->capacity, sizeof *t->events))
        return false;
    value from = field(field(v, EVENT_LOCATION), 0), to = field(field(v, EVENT_LOCATION), 1);
    intptr_t line_start = int_of_val(field(from, POSITION_LINE_START));
    uint64_t at = start + (uint64_t)int_of_val(field(v, EVENT_POSITION));
    if (at / 4 >= UINT32_MAX) return false;
    struct vm_debug_event *e = &t->events[t->count];
    *e = (struct vm_debug_event){
        .pc = (uint32_t)(at / 4),
        .kind = kind_of(field(v, EVENT_KIND)),
        .line = (int32_t)int_of_val(field(from, POSITION_LINE)),
        .start = (int32_t)(int_of_val(field(from, POSITION_CHARACTER)) - line_start),
        .end = (int32_t)(int_of_val(field(to, POSITION_CHARACTER)) - line_start),
    };
    if (!intern(t, field(from, POSITION_FILE), &e->file) ||
        !intern(t, field(v, EVENT_DEFINITION), &e->definition) ||
        !intern(t, field(v, EVENT_MODULE), &e->module))
        return false;
    t->count++;
    return true;
}

/* Whether it is a list that ends: in a hostile file it may be cyclic. */
static bool is_list(value list) {
    value slow = list;
    for (bool both = false; is_block(list); both = !both) {
        if (!is_record(list, 2)) return false;
        list = field(list, 1);
        if (both) slow = field(slow, 1);
        if (list == slow && is_block(list)) return false;
    }
    return true;
}

static int by_position(const void *a, const void *b) {
    const struct vm_debug_event *x = a, *y = b;
    if (x->pc != y->pc) return x->pc < y->pc ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* The compiler writes them in this order, mostly. */
static void sort(struct vm_debug_event *events, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (by_position(&events[i - 1], &events[i]) <= 0) continue;
        qsort(events, count, sizeof *events, by_position);
        return;
    }
}

/* ---- The table. ---- */

bool vm_debugevents_add(struct vm_debugevents *t, value list, uint64_t start, size_t *limit) {
    size_t before = t->count;
    bool good = is_list(list);
    for (; good && is_block(list); list = field(list, 1))
        good = (*limit)-- > 0 && add_event(t, field(list, 0), start);
    forget_met(t);
    if (good) sort(t->events + before, t->count - before);
    else t->count = before;
    return good;
}

void vm_debugevents_merge(struct vm_debugevents *t) { sort(t->events, t->count); }

const struct vm_debug_event *vm_debugevents_find(const struct vm_debug_event *events, size_t count,
                                                 uint32_t pc) {
    if (count == 0) return NULL;
    size_t low = 0, high = count;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (pc < events[middle].pc) high = middle;
        else low = middle;
    }
    const struct vm_debug_event *e = &events[low];
    if (e->pc == pc || e->pc == pc + 1) return e;
    if (low + 1 < count && e[1].pc == pc + 1) return e + 1;
    return NULL;
}

void vm_debugevents_free(struct vm_debugevents *t) {
    free(t->events);
    free(t->texts);
    free(t->buckets);
    vm_arena_free(&t->arena);
    memset(t, 0, sizeof *t);
}
