/* debug_events.c - see debug_events.h. The shape of each field that is used is tested; the others
 * (types and environments, most of the bytes) are skipped. */
#include "vm/marshal/debug_events.h"

#include "vm/marshal/scan.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = IF_SMALL_TABLES(1, 64), FIRST_SEEN = IF_SMALL_TABLES(2, 64) };

enum { EVENT_POSITION, EVENT_MODULE, EVENT_LOCATION, EVENT_KIND, EVENT_DEFINITION, EVENT_FIELDS };
enum { LOCATION_START, LOCATION_END, LOCATION_FIELDS };
enum { POSITION_FILE, POSITION_LINE, POSITION_LINE_START, POSITION_CHARACTER, POSITION_FIELDS };

struct position {
    int64_t line, line_start, character;
};

/* What is used of an event. */
struct fields {
    int64_t at; /* bytes from the start of the unit's code */
    struct position from, to;
    const char *file, *definition; /* kept; NULL: out of memory */
};

void debug_events_free(struct debug_events *t) {
    free(t->table.items);
    vm_arena_free(&t->texts);
}

/* Keeps a text up to its first NUL, once for each key (DI3); seen: those of this list that were
 * kept. NULL: out of memory. */
static const char *keep_text(struct debug_events *t, struct word_map *seen, uintptr_t key,
                             const void *text, size_t most) {
    uintptr_t *kept = word_map_add(seen, key, FIRST_SEEN, NULL);
    if (kept == NULL) return NULL;
    if (*kept == 0) {
        const size_t bytes = strnlen(text, most);
        char *copy = vm_arena_alloc(&t->texts, bytes + 1);
        if (copy == NULL) return NULL;
        copy[bytes] = 0;
        *kept = (uintptr_t)memcpy(copy, text, bytes);
    }
    return (const char *)*kept;
}

/* False: its position is impossible, or out of memory. */
static bool add_event(struct debug_events *t, const struct fields *f, uint64_t start) {
    const uint64_t pc = (start + (uint64_t)f->at) / 4;
    const struct position from = f->from, to = f->to;
    const struct vm_debug_event event = {
        .pc = (uint32_t)pc,
        .line = (int32_t)from.line,
        .start = (int32_t)(from.character - from.line_start),
        .end = (int32_t)(to.character - from.line_start),
        .end_line = (int32_t)to.line,
        .end_column = (int32_t)(to.character - to.line_start),
        .file = f->file,
        .definition = f->definition,
    };
    if (pc >= UINT32_MAX) return false;
    if (event.file != NULL && event.definition != NULL &&
        vector_push(&t->table, event, FIRST_ROWS, NULL))
        return true;
    t->no_memory = true;
    return false;
}

static int by_position(const void *a, const void *b) {
    const struct vm_debug_event *x = a, *y = b;
    if (x->pc != y->pc) return x->pc < y->pc ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static void reverse(struct vm_debug_event *events, size_t count) {
    for (size_t i = 0, j = count; i + 1 < j; i++) {
        const struct vm_debug_event event = events[i];
        events[i] = events[--j];
        events[j] = event;
    }
}

/* How many events at the start have one position. */
static size_t equal_positions(const struct vm_debug_event *events, size_t count) {
    size_t n = 0;
    while (n < count && events[n].pc == events[0].pc) n++;
    return n;
}

/* The compiler writes the last event first. Then only those of one position, which keep their order
 * if they are equal, may have to be sorted. */
void debug_events_sort(struct vm_debug_event *events, size_t count) {
    const bool descends = count > 1 && events[0].pc > events[count - 1].pc;
    if (descends) reverse(events, count);
    for (size_t i = 0, n; i < count; i += n) {
        n = equal_positions(events + i, count - i);
        if (descends) reverse(events + i, n);
        if (n > 1) qsort(events + i, n, sizeof *events, by_position);
        if (i > 0 && events[i].pc < events[i - 1].pc) {
            qsort(events, count, sizeof *events, by_position);
            return;
        }
    }
}

/* Ends a list whose events are those from `before` on; good: they are well-formed. */
static bool end_list(struct debug_events *t, struct word_map *seen, size_t before, bool good) {
    free(seen->entries);
    if (good) debug_events_sort(t->table.items + before, t->table.count - before);
    else t->table.count = before;
    return good;
}

/* ---- From values. ---- */

static bool is_record(value v, size_t fields) {
    return is_block(v) && tag_of(v) == 0 && wosize_of(v) >= fields;
}
static bool is_text(value v) { return is_block(v) && tag_of(v) == TAG_STRING; }

static bool position_of(value v, struct position *out) {
    if (!is_record(v, POSITION_FIELDS) || !is_text(field(v, POSITION_FILE)) ||
        !is_int(field(v, POSITION_LINE)) || !is_int(field(v, POSITION_LINE_START)) ||
        !is_int(field(v, POSITION_CHARACTER)))
        return false;
    *out = (struct position){int_of_val(field(v, POSITION_LINE)),
                             int_of_val(field(v, POSITION_LINE_START)),
                             int_of_val(field(v, POSITION_CHARACTER))};
    return true;
}

static bool fields_of(struct debug_events *t, struct word_map *seen, value v, struct fields *out) {
    if (!is_record(v, EVENT_FIELDS) || !is_int(field(v, EVENT_POSITION)) ||
        !is_record(field(v, EVENT_LOCATION), LOCATION_FIELDS) ||
        !is_text(field(v, EVENT_DEFINITION)))
        return false;
    const value location = field(v, EVENT_LOCATION), from = field(location, LOCATION_START);
    if (!position_of(from, &out->from) || !position_of(field(location, LOCATION_END), &out->to))
        return false;
    const value file = field(from, POSITION_FILE), definition = field(v, EVENT_DEFINITION);
    out->at = int_of_val(field(v, EVENT_POSITION));
    out->file = keep_text(t, seen, (uintptr_t)file, string_bytes(file), SIZE_MAX);
    out->definition = keep_text(t, seen, (uintptr_t)definition, string_bytes(definition), SIZE_MAX);
    return true;
}

bool debug_events_add_list(struct debug_events *t, value list, uint64_t start, size_t *limit) {
    struct word_map seen = {0};
    struct fields fields;
    const size_t before = t->table.count;
    bool good = true;
    for (; good && is_record(list, 2); list = field(list, 1))
        good = (*limit)-- > 0 && fields_of(t, &seen, field(list, 0), &fields) &&
               add_event(t, &fields, start);
    return end_list(t, &seen, before, good && is_int(list));
}

/* ---- From marshalled lists. ---- */

struct scanner {
    struct marshal_scan scan;
    struct debug_events *to;
    struct word_map seen;    /* by 1 + the object's number */
    struct marshal_place at; /* in the list */
    struct known_text {
        uint32_t object; /* of the last text; valid if text is not NULL */
        const char *text;
    } module, file, definition;
};

static bool take_int(struct scanner *s, struct marshal_place *p, int64_t *out) {
    struct marshal_item item;
    if (!marshal_scan_next(&s->scan, p, &item) || item.kind != ITEM_INT) return false;
    *out = (int64_t)item.number;
    return true;
}

/* Takes the header of a record. Returns where its fields are: at p, or at *other if it is a
 * reference; NULL: it is no such record. */
static struct marshal_place *take_record(struct scanner *s, struct marshal_place *p,
                                         struct marshal_place *other, uint64_t *fields) {
    struct marshal_item item;
    const struct marshal_place before = *p;
    if (!marshal_scan_next(&s->scan, p, &item)) return NULL;
    if (item.kind == ITEM_SHARED) {
        *other = *p;
        p = other;
        marshal_scan_find(&s->scan, p, item.object);
        if (!marshal_scan_next(&s->scan, p, &item)) return NULL;
    } else {
        marshal_scan_remember(&s->scan, before);
    }
    *fields = item.number;
    return item.kind == ITEM_BLOCK && item.tag == 0 ? p : NULL;
}

/* last: the text that was found in this place before, most often the same one. */
static bool take_text(struct scanner *s, struct marshal_place *p, struct known_text *last) {
    struct marshal_item item;
    struct marshal_place in = *p;
    if (!marshal_scan_next(&s->scan, p, &item)) return false;
    if (item.kind == ITEM_SHARED) {
        if (last->text != NULL && last->object == item.object) return true;
        marshal_scan_find(&s->scan, &in, item.object);
        if (!marshal_scan_next(&s->scan, &in, &item)) return false;
    }
    if (item.kind != ITEM_STRING) return false;
    last->object = item.object;
    last->text = keep_text(s->to, &s->seen, (uintptr_t)item.object + 1, item.text, item.number);
    return true;
}

static bool take_position(struct scanner *s, struct marshal_place *p, struct known_text *file,
                          struct position *out) {
    struct marshal_place other, *in;
    uint64_t fields;
    in = take_record(s, p, &other, &fields);
    return in != NULL && fields == POSITION_FIELDS && take_text(s, in, file) &&
           take_int(s, in, &out->line) && take_int(s, in, &out->line_start) &&
           take_int(s, in, &out->character);
}

static bool take_location(struct scanner *s, struct marshal_place *p, struct fields *out) {
    struct marshal_place other, *in;
    uint64_t fields;
    in = take_record(s, p, &other, &fields);
    if (in == NULL || fields < LOCATION_FIELDS || !take_position(s, in, &s->file, &out->from))
        return false;
    out->file = s->file.text;
    return take_position(s, in, &s->file, &out->to) &&
           (in != p || marshal_scan_skip(&s->scan, p, fields - LOCATION_FIELDS));
}

/* Passes an item and its fields. */
static bool pass(struct scanner *s, struct marshal_place *p) {
    struct marshal_item item;
    return marshal_scan_next(&s->scan, p, &item) &&
           (item.kind != ITEM_BLOCK || marshal_scan_skip(&s->scan, p, item.number));
}

/* The fields of an event after its header, and past the others. */
static bool take_fields(struct scanner *s, uint64_t count, struct fields *out) {
    struct marshal_place *p = &s->at;
    if (!take_int(s, p, &out->at) || !take_text(s, p, &s->module) || !take_location(s, p, out) ||
        !pass(s, p) || !take_text(s, p, &s->definition))
        return false;
    out->definition = s->definition.text;
    return marshal_scan_skip(&s->scan, p, count - EVENT_FIELDS);
}

/* Takes an event. In place of one that the list has already there may be a reference. */
static bool take_event(struct scanner *s, uint64_t start) {
    struct marshal_item item;
    struct fields fields;
    if (!marshal_scan_next(&s->scan, &s->at, &item)) return false;
    if (item.kind == ITEM_SHARED) return true;
    return item.kind == ITEM_BLOCK && item.tag == 0 && item.number >= EVENT_FIELDS &&
           take_fields(s, item.number, &fields) && add_event(s->to, &fields, start);
}

static bool take_events(struct scanner *s, uint64_t start) {
    struct marshal_item item;
    for (;;) {
        if (!marshal_scan_next(&s->scan, &s->at, &item)) return false;
        if (item.kind == ITEM_INT) return marshal_scan_is_complete(&s->scan, &s->at);
        if (item.kind != ITEM_BLOCK || item.tag != 0 || item.number != 2 || !take_event(s, start))
            return false;
    }
}

enum vm_status debug_events_add_marshalled(struct debug_events *t, const uint8_t *bytes, size_t n,
                                           uint64_t start, struct vm_error *error) {
    struct scanner s = {.to = t};
    const size_t before = t->table.count;
    enum vm_status status = marshal_scan_start(&s.scan, bytes, n, error);
    if (status == VM_OK && !end_list(t, &s.seen, before, take_events(&s, start)))
        status = t->no_memory || s.scan.no_memory
                     ? vm_error_set(error, VM_NO_MEMORY, "for debug information")
                     : vm_error_set(error, VM_BAD_MARSHAL, "DBUG: a debug event is ill-formed");
    marshal_scan_end(&s.scan);
    return status;
}
