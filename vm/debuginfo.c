/* debuginfo.c - reading and searching debug events; see debuginfo.h.
 *
 * Section DBUG, numbers big-endian:
 *
 *     count[4] | count x { start of the unit's code in bytes[4] | marshalled list of events |
 *                          marshalled list of folders }
 *
 * The events carry types and environments too, which make up nearly all of the section: they are
 * read into an arena that is dropped once the few fields of interest are copied. Nothing in there
 * is trusted: every field's shape is tested. */
#include "vm/debuginfo.h"

#include "gc/tiny.h"
#include "vm/arena.h"
#include "vm/image.h"
#include "vm/unmarshal.h"
#include "vm/vm.h"

#include <stdlib.h>

/* The table owns everything in it; texts lie one after the other in bytes, each ended by a NUL. */
struct vm_debuginfo {
    struct vm_debug_event *events;
    size_t count, capacity;
    char *bytes;
    size_t used, room;
    uint32_t *offsets; /* of text number i */
    uint32_t text_count, text_capacity;
    uint32_t *buckets; /* open addressing: text number + 1, 0: free; dropped after reading */
    uint32_t bucket_count;
    struct met { /* by address, while those blocks stand still; open addressing, text 0: free */
        value text;
        uint32_t number;
    } * met;
    size_t met_count, met_capacity;
};

static bool grow(void **array, size_t needed, size_t *capacity, size_t size) {
    if (needed <= *capacity) return true;
    size_t more = needed + needed / 2 + 64;
    void *p = realloc(*array, more * size);
    if (p == NULL) return false;
    *array = p;
    *capacity = more;
    return true;
}

/* ---- Texts, each kept once. ---- */

static uint32_t hash_of(const char *text, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static void enter(struct vm_debuginfo *t, uint32_t number) {
    const char *text = t->bytes + t->offsets[number];
    uint32_t mask = t->bucket_count - 1, at = hash_of(text, strlen(text)) & mask;
    while (t->buckets[at] != 0) at = (at + 1) & mask;
    t->buckets[at] = number + 1;
}

static bool grow_buckets(struct vm_debuginfo *t) {
    if (2 * (t->text_count + 1) < t->bucket_count) return true;
    uint32_t count = t->bucket_count == 0 ? IF_TINY(2, 256) : 2 * t->bucket_count;
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (buckets == NULL) return false;
    free(t->buckets);
    t->buckets = buckets;
    t->bucket_count = count;
    for (uint32_t i = 0; i < t->text_count; i++) enter(t, i);
    return true;
}

static struct met *met_place(struct vm_debuginfo *t, value text) {
    size_t mask = t->met_capacity - 1, at = ((size_t)text >> 3) * 0x9E3779B97F4A7C15u >> 20;
    for (at &= mask; t->met[at].text != 0 && t->met[at].text != text;) at = (at + 1) & mask;
    return &t->met[at];
}

static bool grow_met(struct vm_debuginfo *t) {
    if (2 * (t->met_count + 1) < t->met_capacity) return true;
    struct met *old = t->met;
    size_t old_capacity = t->met_capacity,
           more = old_capacity == 0 ? IF_TINY(2, 64) : 2 * old_capacity;
    struct met *met = calloc(more, sizeof *met);
    if (met == NULL) return false;
    t->met = met;
    t->met_capacity = more;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].text != 0) *met_place(t, old[i].text) = old[i];
    free(old);
    return true;
}

static void forget_met(struct vm_debuginfo *t) {
    free(t->met);
    t->met = NULL;
    t->met_count = t->met_capacity = 0;
}

/* The number of a text; what is behind a NUL is dropped, as it is never printed. */
static bool intern_new(struct vm_debuginfo *t, value s, uint32_t *number) {
    const char *text = string_bytes(s);
    size_t n = strlen(text);
    if (!grow_buckets(t)) return false;
    uint32_t mask = t->bucket_count - 1;
    for (uint32_t at = hash_of(text, n) & mask; t->buckets[at] != 0; at = (at + 1) & mask) {
        *number = t->buckets[at] - 1;
        if (strcmp(t->bytes + t->offsets[*number], text) == 0) return true;
    }
    size_t capacity = t->text_capacity;
    if (!grow((void **)&t->bytes, t->used + n + 1, &t->room, 1) || t->used > UINT32_MAX / 2 ||
        !grow((void **)&t->offsets, t->text_count + 1, &capacity, sizeof *t->offsets))
        return false;
    t->text_capacity = (uint32_t)capacity;
    memcpy(t->bytes + t->used, text, n + 1);
    t->offsets[t->text_count] = (uint32_t)t->used;
    t->used += n + 1;
    *number = t->text_count++;
    enter(t, *number);
    return true;
}

/* The same, at once for a block that was met before: millions of events of a hostile file may share
 * a text of megabytes. */
static bool intern(struct vm_debuginfo *t, value s, uint32_t *number) {
    if (!grow_met(t)) return false;
    struct met *place = met_place(t, s);
    if (place->text == 0) {
        if (!intern_new(t, s, number)) return false;
        *place = (struct met){s, *number};
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

static bool add_event(struct vm_debuginfo *t, value v, uint64_t start) {
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

/* At most as many events as are left of *limit. */
static bool add_list(struct vm_debuginfo *t, value list, uint64_t start, size_t *limit) {
    if (!is_list(list)) return false;
    for (; is_block(list); list = field(list, 1))
        if ((*limit)-- == 0 || !add_event(t, field(list, 0), start)) return false;
    return true;
}

static int by_position(const void *a, const void *b) {
    const struct vm_debug_event *x = a, *y = b;
    if (x->pc != y->pc) return x->pc < y->pc ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static void finish(struct vm_debuginfo *t) {
    if (t->count > 0) qsort(t->events, t->count, sizeof *t->events, by_position);
    free(t->buckets);
    t->buckets = NULL;
    forget_met(t);
}

void vm_debuginfo_delete(struct vm_debuginfo *t) {
    if (t == NULL) return;
    free(t->events);
    free(t->bytes);
    free(t->offsets);
    free(t->buckets);
    free(t->met);
    free(t);
}

const struct vm_debug_event *vm_debuginfo_events(const struct vm_debuginfo *t, size_t *count) {
    *count = t->count;
    return t->events;
}

const char *vm_debuginfo_text(const struct vm_debuginfo *t, uint32_t number) {
    return t->bytes + t->offsets[number];
}

/* ---- The two sources. ---- */

static bool read_word(const uint8_t **at, const uint8_t *end, uint32_t *word) {
    const uint8_t *p = *at;
    if (end - p < 4) return false;
    *word = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    *at = p + 4;
    return true;
}

static enum vm_status read_unit(struct vm_debuginfo *t, const uint8_t **at, const uint8_t *end,
                                struct vm_error *error) {
    struct vm_arena arena = {0};
    uint32_t start;
    value events, folders;
    size_t used;
    if (!read_word(at, end, &start))
        return vm_error_set(error, VM_BAD_MARSHAL, "DBUG ends in the middle of a unit");
    enum vm_status status = vm_unmarshal_arena(*at, (size_t)(end - *at), &arena, &events, &used,
                                               error);
    if (status == VM_OK) {
        *at += used;
        size_t limit = used;
        if (!add_list(t, events, start, &limit))
            status = vm_error_set(error, VM_BAD_MARSHAL, "DBUG: a debug event is ill-formed");
    }
    vm_arena_free(&arena);
    forget_met(t);
    if (status != VM_OK) return status;
    status = vm_unmarshal_arena(*at, (size_t)(end - *at), &arena, &folders, &used, error);
    vm_arena_free(&arena);
    *at += status == VM_OK ? used : 0;
    return status;
}

struct vm_debuginfo *vm_debuginfo_read(const uint8_t *bytes, size_t n, struct vm_error *error) {
    const uint8_t *at = bytes, *end = bytes + n;
    struct vm_debuginfo *t = calloc(1, sizeof *t);
    if (t == NULL) {
        vm_error_set(error, VM_NO_MEMORY, "for debug information");
        return NULL;
    }
    uint32_t units = 0;
    enum vm_status status = VM_OK;
    if (!read_word(&at, end, &units)) status = vm_error_set(error, VM_BAD_MARSHAL, "DBUG is empty");
    for (uint32_t i = 0; i < units && status == VM_OK; i++) status = read_unit(t, &at, end, error);
    if (status != VM_OK) {
        vm_debuginfo_delete(t);
        return NULL;
    }
    finish(t);
    return t;
}

/* No piece of code that is loaded at run time has as many events; an array that holds the same list
 * many times does. */
enum { MAX_EVENTS = 1 << 22 };

struct vm_debuginfo *vm_debuginfo_of_events(value v) {
    struct vm_debuginfo *t = is_block(v) && tag_of(v) == 0 ? calloc(1, sizeof *t) : NULL;
    size_t limit = MAX_EVENTS;
    if (t == NULL) return NULL;
    for (size_t i = 0; i < wosize_of(v); i++) {
        if (add_list(t, field(v, i), 0, &limit)) continue;
        vm_debuginfo_delete(t);
        return NULL;
    }
    finish(t);
    return t;
}

/* ---- The program's. ---- */

static void warn(struct vm *vm, const char *file, const struct vm_error *error) {
    fprintf(vm_err(vm), "%s: damaged debug information (%s): no source locations are shown\n", file,
            error->detail);
}

static void read_section(struct vm *vm, const char *name, const struct vm_section *section) {
    struct vm_error error;
    vm->debug = vm_debuginfo_read(section->bytes, section->length, &error);
    if (vm->debug == NULL) warn(vm, name, &error);
}

/* A file of debug information is a container with the sections SYMB and DBUG only. One that doesn't
 * fit is as good as none: ocamlrun, which reads the variable for its debugger, doesn't complain. */
static void read_debug_file(struct vm *vm, const char *path) {
    struct vm_image image;
    struct vm_error error;
    if (vm_image_open_sections(path, &image, &error) != VM_OK) return;
    const struct vm_section *section = vm_image_section(&image, "DBUG");
    if (section != NULL && image.version == vm->version &&
        vm_image_read_debug(&image, &error) == VM_OK)
        read_section(vm, path, section);
    vm_image_close(&image);
}

void vm_debuginfo_of_program(struct vm *vm) {
    if (vm->debug_status != VM_DEBUG_UNREAD || vm->image == NULL) return;
    vm->debug_status = VM_DEBUG_READ;
    if (vm->debug != NULL) return; /* for somebody else than the program */
    const struct vm_section *section = vm_image_section(vm->image, "DBUG");
    const char *name = vm->options.executable_name, *other = secure_getenv("CAML_DEBUG_FILE");
    struct vm_error error;
    if (name == NULL) name = "program";
    if (section != NULL && vm_image_read_debug(vm->image, &error) != VM_OK) warn(vm, name, &error);
    else if (section != NULL) read_section(vm, name, section);
    else if (other != NULL) read_debug_file(vm, other);
}

void vm_debuginfo_free(struct vm *vm) {
    vm_debuginfo_delete(vm->debug);
    vm->debug = NULL;
}

static const struct vm_debug_event *find_event(const struct vm_debuginfo *t, uint32_t pc) {
    if (t == NULL || t->count == 0) return NULL;
    size_t low = 0, high = t->count;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (pc < t->events[middle].pc) high = middle;
        else low = middle;
    }
    const struct vm_debug_event *e = &t->events[low];
    if (e->pc == pc || e->pc == pc + 1) return e;
    if (low + 1 < t->count && e[1].pc == pc + 1) return e + 1;
    return NULL;
}

bool vm_debuginfo_find(struct vm *vm, uint64_t gpc, struct vm_location *out) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    if (code == NULL) return false;
    bool of_program = code == vm->codes[0];
    if (of_program) vm_debuginfo_of_program(vm);
    const struct vm_debuginfo *t = of_program ? vm->debug : code->debug;
    const struct vm_debug_event *e = find_event(t, (uint32_t)(gpc - code->base));
    if (e == NULL) return false;
    *out = (struct vm_location){
        .file = vm_debuginfo_text(t, e->file),
        .definition = vm_debuginfo_text(t, e->definition),
        .line = e->line,
        .start = e->start,
        .end = e->end,
    };
    return true;
}
