/* debug_events.c - see debug_events.h. The shape of each field that is used is tested; the others
 * (types and environments, most of the bytes) are skipped.
 *
 * Opening a marshalled list takes a few instructions for each of its items and eight bytes for each
 * event, with as many for the noted places: most events are never asked for. */
#include "vm/marshal/debug_events.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = IF_SMALL_TABLES(1, 64), FIRST_SEEN = IF_SMALL_TABLES(2, 64) };

enum { EVENT_POSITION, EVENT_MODULE, EVENT_LOCATION, EVENT_KIND, EVENT_DEFINITION, EVENT_FIELDS };
enum { LOCATION_START, LOCATION_END, LOCATION_FIELDS };
enum { POSITION_FILE, POSITION_LINE, POSITION_LINE_START, POSITION_CHARACTER, POSITION_FIELDS };

struct position {
    int64_t line, line_start, character;
};

/* What is used of an event, besides its position. */
struct fields {
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

/* The position of an event in words; UINT32_MAX: it is impossible. */
static uint32_t event_pc(int64_t at, uint64_t start) {
    const uint64_t pc = (start + (uint64_t)at) / 4;
    return pc < UINT32_MAX ? (uint32_t)pc : UINT32_MAX;
}

static struct vm_debug_event event_of(uint32_t pc, const struct fields *f) {
    const struct position from = f->from, to = f->to;
    return (struct vm_debug_event){
        .pc = pc,
        .line = (int32_t)from.line,
        .start = (int32_t)(from.character - from.line_start),
        .end = (int32_t)(to.character - from.line_start),
        .end_line = (int32_t)to.line,
        .end_column = (int32_t)(to.character - to.line_start),
        .file = f->file,
        .definition = f->definition,
    };
}

static bool add_event(struct debug_events *t, const struct vm_debug_event *event) {
    t->no_memory |= !vector_push(&t->table, *event, FIRST_ROWS, NULL);
    return !t->no_memory;
}

int debug_events_order(const void *a, const void *b) {
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
        if (n > 1) qsort(events + i, n, sizeof *events, debug_events_order);
        if (i > 0 && events[i].pc < events[i - 1].pc) {
            qsort(events, count, sizeof *events, debug_events_order);
            return;
        }
    }
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
    out->file = keep_text(t, seen, (uintptr_t)file, string_bytes(file), SIZE_MAX);
    out->definition = keep_text(t, seen, (uintptr_t)definition, string_bytes(definition), SIZE_MAX);
    t->no_memory |= out->file == NULL || out->definition == NULL;
    return !t->no_memory;
}

static bool add_value(struct debug_events *t, struct word_map *seen, value v, uint64_t start) {
    struct fields fields;
    if (!fields_of(t, seen, v, &fields)) return false;
    const uint32_t pc = event_pc(int_of_val(field(v, EVENT_POSITION)), start);
    const struct vm_debug_event event = event_of(pc, &fields);
    return pc < UINT32_MAX && add_event(t, &event);
}

bool debug_events_add_list(struct debug_events *t, value list, uint64_t start, size_t *limit) {
    struct word_map seen = {0};
    const size_t before = t->table.count;
    bool good = true;
    for (; good && is_record(list, 2); list = field(list, 1))
        good = (*limit)-- > 0 && add_value(t, &seen, field(list, 0), start);
    good = good && is_int(list);
    free(seen.entries);
    if (good) debug_events_sort(t->table.items + before, t->table.count - before);
    else t->table.count = before;
    return good;
}

/* ---- The positions in a marshalled list. ---- */

static bool take_int(const struct marshal_scan *scan, struct marshal_place *p, int64_t *out) {
    struct marshal_item item;
    if (!marshal_scan_next(scan, p, &item) || item.kind != ITEM_INT) return false;
    *out = (int64_t)item.number;
    return true;
}

/* Passes an event. In place of one that the list has already there may be a reference. */
static bool open_event(struct debug_list *l, struct marshal_place *p) {
    struct marshal_item item;
    int64_t at;
    if (!marshal_scan_next(&l->scan, p, &item)) return false;
    if (item.kind == ITEM_SHARED) return true;
    if (item.kind != ITEM_BLOCK || item.tag != 0 || item.number < EVENT_FIELDS) return false;
    const size_t noted = marshal_scan_note(&l->scan, *p);
    if (noted == SIZE_MAX || !take_int(&l->scan, p, &at)) return false;
    const struct debug_row row = {event_pc(at, l->start), (uint32_t)noted};
    if (row.pc == UINT32_MAX) return false;
    l->scan.no_memory = !vector_push(&l->rows, row, FIRST_ROWS, NULL);
    return !l->scan.no_memory && marshal_scan_skip(&l->scan, p, item.number - 1);
}

static bool open_events(struct debug_list *l) {
    struct marshal_place p = {0, 0};
    struct marshal_item item;
    for (;;) {
        if (!marshal_scan_next(&l->scan, &p, &item)) return false;
        if (item.kind == ITEM_INT) return marshal_scan_is_complete(&l->scan, &p);
        if (item.kind != ITEM_BLOCK || item.tag != 0 || item.number != 2 || !open_event(l, &p))
            return false;
    }
}

static int by_descending_pc(const void *a, const void *b) {
    const struct debug_row *x = a, *y = b;
    if (x->pc != y->pc) return x->pc > y->pc ? -1 : 1;
    return (x->noted > y->noted) - (x->noted < y->noted);
}

/* The compiler writes the last event first. */
static void sort_rows(struct debug_rows *rows) {
    for (size_t i = 1; i < rows->count; i++)
        if (rows->items[i - 1].pc < rows->items[i].pc) {
            qsort(rows->items, rows->count, sizeof *rows->items, by_descending_pc);
            return;
        }
}

static enum vm_status ill_formed(bool no_memory, struct vm_error *error) {
    return no_memory ? vm_error_set(error, VM_NO_MEMORY, "for debug information")
                     : vm_error_set(error, VM_BAD_MARSHAL, "DBUG: a debug event is ill-formed");
}

enum vm_status debug_list_open(struct debug_list *l, const uint8_t *bytes, size_t n, uint64_t start,
                               struct vm_error *error) {
    *l = (struct debug_list){.start = start};
    enum vm_status status = marshal_scan_start(&l->scan, bytes, n, error);
    if (status == VM_OK && !open_events(l)) status = ill_formed(l->scan.no_memory, error);
    if (status == VM_OK) sort_rows(&l->rows);
    else debug_list_free(l);
    return status;
}

void debug_list_free(struct debug_list *l) {
    marshal_scan_end(&l->scan);
    free(l->rows.items);
    free(l->texts.entries);
    *l = (struct debug_list){.start = 0};
}

/* ---- An event of a marshalled list. ---- */

struct decoder {
    struct debug_list *list;
    struct debug_events *to;
    debug_fetch *fetch;
    void *context;
    struct vm_error *error;
    enum vm_status status; /* of fetch */
};

/* Has the bytes from `at` to `end` there. */
static bool need(struct decoder *d, uint32_t at, uint32_t end) {
    const struct marshal_scan *scan = &d->list->scan;
    if (end > scan->length) end = scan->length;
    if (d->fetch == NULL || at >= end) return true;
    d->status = d->fetch(d->context, scan->data + at, end - at, d->error);
    return d->status == VM_OK;
}

static bool next(struct decoder *d, struct marshal_place *p, struct marshal_item *item) {
    const uint32_t length = d->list->scan.length;
    const uint32_t end = length - p->at > MARSHAL_ITEM_BYTES ? p->at + MARSHAL_ITEM_BYTES : length;
    return need(d, p->at, end) && marshal_scan_next(&d->list->scan, p, item);
}

static bool find(struct decoder *d, struct marshal_place *p, uint32_t object) {
    uint32_t from, end;
    marshal_scan_extent(&d->list->scan, object, &from, &end);
    if (!need(d, from, end)) return false;
    *p = marshal_scan_find(&d->list->scan, object);
    return true;
}

static bool decode_int(struct decoder *d, struct marshal_place *p, int64_t *out) {
    struct marshal_item item;
    if (!next(d, p, &item) || item.kind != ITEM_INT) return false;
    *out = (int64_t)item.number;
    return true;
}

/* Takes the header of a record. Returns where its fields are: at p, or at *other if it is a
 * reference; NULL: it is no such record. */
static struct marshal_place *decode_record(struct decoder *d, struct marshal_place *p,
                                           struct marshal_place *other, uint64_t *fields) {
    struct marshal_item item;
    if (!next(d, p, &item)) return NULL;
    if (item.kind == ITEM_SHARED) {
        p = other;
        if (!find(d, p, item.object) || !next(d, p, &item)) return NULL;
    }
    *fields = item.number;
    return item.kind == ITEM_BLOCK && item.tag == 0 ? p : NULL;
}

static const char *decode_text(struct decoder *d, struct marshal_place *p) {
    struct debug_list *l = d->list;
    struct marshal_item item;
    struct marshal_place in;
    if (!next(d, p, &item)) return NULL;
    const uintptr_t *kept = word_map_find(&l->texts, (uintptr_t)item.object + 1);
    if (item.kind == ITEM_SHARED) {
        if (kept != NULL) return (const char *)*kept;
        if (!find(d, &in, item.object) || !next(d, &in, &item)) return NULL;
    }
    if (item.kind != ITEM_STRING) return NULL;
    const uint32_t at = (uint32_t)(item.text - l->scan.data);
    if (!need(d, at, at + (uint32_t)item.number)) return NULL;
    const char *text = keep_text(d->to, &l->texts, (uintptr_t)item.object + 1, item.text,
                                 item.number);
    d->to->no_memory |= text == NULL;
    return text;
}

static bool decode_position(struct decoder *d, struct marshal_place *p, const char **file,
                            struct position *out) {
    struct marshal_place other, *in;
    uint64_t fields;
    in = decode_record(d, p, &other, &fields);
    return in != NULL && fields == POSITION_FIELDS && (*file = decode_text(d, in)) != NULL &&
           decode_int(d, in, &out->line) && decode_int(d, in, &out->line_start) &&
           decode_int(d, in, &out->character);
}

/* Passes n items with their contents. */
static bool pass(struct decoder *d, struct marshal_place *p, uint64_t n) {
    struct marshal_item item;
    for (; n > 0; n--) {
        if (!next(d, p, &item)) return false;
        if (item.kind == ITEM_BLOCK) n += item.number;
    }
    return true;
}

static bool decode_location(struct decoder *d, struct marshal_place *p, struct fields *out) {
    struct marshal_place other, *in;
    const char *end_file;
    uint64_t fields;
    in = decode_record(d, p, &other, &fields);
    return in != NULL && fields >= LOCATION_FIELDS &&
           decode_position(d, in, &out->file, &out->from) &&
           decode_position(d, in, &end_file, &out->to) &&
           (in != p || pass(d, p, fields - LOCATION_FIELDS));
}

static bool decode_event(struct decoder *d, const struct debug_row *row, struct fields *out) {
    struct marshal_place p = d->list->scan.noted.items[row->noted];
    int64_t at;
    return decode_int(d, &p, &at) && decode_text(d, &p) != NULL && decode_location(d, &p, out) &&
           pass(d, &p, 1) && (out->definition = decode_text(d, &p)) != NULL;
}

enum vm_status debug_list_event(struct debug_list *l, size_t row, struct debug_events *t,
                                debug_fetch *fetch, void *context, struct vm_debug_event *out,
                                struct vm_error *error) {
    struct decoder d = {l, t, fetch, context, error, VM_OK};
    struct fields fields;
    ASSERT(row < l->rows.count);
    if (!decode_event(&d, &l->rows.items[row], &fields))
        return d.status != VM_OK ? d.status : ill_formed(t->no_memory, error);
    *out = event_of(l->rows.items[row].pc, &fields);
    return VM_OK;
}

/* ---- Whole lists. ---- */

static enum vm_status add_rows(struct debug_events *t, struct debug_list *l,
                               struct vm_error *error) {
    struct vm_debug_event event;
    for (size_t i = 0; i < l->rows.count; i++) {
        enum vm_status status = debug_list_event(l, i, t, NULL, NULL, &event, error);
        if (status != VM_OK) return status;
        if (!add_event(t, &event)) return ill_formed(true, error);
    }
    return VM_OK;
}

enum vm_status debug_events_add_marshalled(struct debug_events *t, const uint8_t *bytes, size_t n,
                                           uint64_t start, struct vm_error *error) {
    struct debug_list list;
    const size_t before = t->table.count;
    enum vm_status status = debug_list_open(&list, bytes, n, start, error);
    if (status == VM_OK) status = add_rows(t, &list, error);
    if (status != VM_OK) t->table.count = before;
    debug_events_sort(t->table.items + before, t->table.count - before);
    debug_list_free(&list);
    return status;
}
