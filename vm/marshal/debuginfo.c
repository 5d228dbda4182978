/* debuginfo.c - debug events by compilation unit; see debuginfo.h.
 *
 * Section DBUG, numbers big-endian:
 *
 *     count[4] | count x { start of the unit's code in bytes[4] | marshalled list of events |
 *                          marshalled list of folders }
 *
 * The events carry types and environments too, which are nearly all of the section (16 MB of the
 * compiler's 19). So a program's table holds the position of each list, and reads a list when a
 * location in its unit is asked for: into an arena that is dropped once the few fields of interest
 * are copied. */
#include "vm/marshal/debuginfo.h"

#include "gc/small_tables.h"
#include "vm/base/arena.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/image/image.h"
#include "vm/marshal/codes.h"
#include "vm/marshal/reader.h"
#include "vm/state/vm.h"

#include <stdlib.h>

/* The code of a unit ends where the next one's starts (DI4). */
struct unit {
    uint64_t start;      /* of its code, in bytes */
    size_t at, length;   /* of its list in the section */
    size_t first, count; /* its events */
    bool was_read;       /* or could not be */
};

/* A text by the address of its block; text 0: a free slot. */
struct seen {
    value text;
    uint32_t number;
};

struct vm_debuginfo {
    struct vm_debug_event *events;
    size_t count, capacity;
    const char **texts; /* by number */
    size_t text_count, text_capacity;
    struct vm_arena arena; /* the texts' bytes */
    struct seen *seen;     /* the texts of the list that is being added */
    size_t seen_count, seen_capacity;
    struct unit *units; /* by ascending start */
    size_t unit_count, unit_capacity;
    const uint8_t *bytes; /* the section, as long as there are units to read */
    size_t length;
    const struct vm_image *image; /* its file holds the bytes; NULL: they are in memory */
};

void vm_debuginfo_delete(struct vm_debuginfo *t) {
    if (t == NULL) return;
    free(t->events);
    free(t->texts);
    vm_arena_free(&t->arena);
    free(t->units);
    free(t);
}

const struct vm_debug_event *vm_debuginfo_events(const struct vm_debuginfo *t, size_t *count) {
    ASSERT(t->unit_count == 1 && t->units[0].was_read);
    *count = t->count;
    return t->events;
}

const char *vm_debuginfo_text(const struct vm_debuginfo *t, uint32_t number) {
    ASSERT(number < t->text_count);
    return t->texts[number];
}

/* ---- Texts. ---- */

static struct seen *seen_slot(struct vm_debuginfo *t, value text) {
    size_t mask = t->seen_capacity - 1, at = ((size_t)text >> 3) * 0x9E3779B97F4A7C15u >> 20;
    for (at &= mask; t->seen[at].text != 0 && t->seen[at].text != text;) at = (at + 1) & mask;
    return &t->seen[at];
}

static bool grow_seen(struct vm_debuginfo *t) {
    if (2 * (t->seen_count + 1) < t->seen_capacity) return true;
    struct seen *old = t->seen;
    size_t capacity = t->seen_capacity,
           more = capacity == 0 ? IF_SMALL_TABLES(2, 64) : 2 * capacity;
    struct seen *larger = calloc(more, sizeof *larger);
    if (larger == NULL) return false;
    t->seen = larger;
    t->seen_capacity = more;
    for (size_t i = 0; i < capacity; i++)
        if (old[i].text != 0) *seen_slot(t, old[i].text) = old[i];
    free(old);
    return true;
}

/* The number of a text, copied up to its first NUL if it is new to the list. */
static bool intern(struct vm_debuginfo *t, value s, uint32_t *number) {
    if (!grow_seen(t)) return false;
    struct seen *slot = seen_slot(t, s);
    if (slot->text == 0) {
        const char *text = string_bytes(s);
        size_t bytes = strlen(text) + 1;
        char *copy = vm_arena_alloc(&t->arena, bytes);
        if (copy == NULL || t->text_count == UINT32_MAX ||
            !vm_grow((void **)&t->texts, t->text_count, &t->text_capacity, sizeof *t->texts))
            return false;
        t->texts[t->text_count] = memcpy(copy, text, bytes);
        *slot = (struct seen){s, (uint32_t)t->text_count++};
        t->seen_count++;
    }
    *number = slot->number;
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

static bool add_event(struct vm_debuginfo *t, value v, uint64_t start) {
    if (!is_event(v) || !vm_grow((void **)&t->events, t->count, &t->capacity, sizeof *t->events))
        return false;
    value from = field(field(v, EVENT_LOCATION), 0), to = field(field(v, EVENT_LOCATION), 1);
    intptr_t line_start = int_of_val(field(from, POSITION_LINE_START));
    uint64_t at = start + (uint64_t)int_of_val(field(v, EVENT_POSITION));
    if (at / 4 >= UINT32_MAX) return false;
    struct vm_debug_event *e = &t->events[t->count];
    *e = (struct vm_debug_event){
        .pc = (uint32_t)(at / 4),
        .line = (int32_t)int_of_val(field(from, POSITION_LINE)),
        .start = (int32_t)(int_of_val(field(from, POSITION_CHARACTER)) - line_start),
        .end = (int32_t)(int_of_val(field(to, POSITION_CHARACTER)) - line_start),
    };
    if (!intern(t, field(from, POSITION_FILE), &e->file) ||
        !intern(t, field(v, EVENT_DEFINITION), &e->definition))
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

/* Establishes DI1; the compiler writes events in this order, mostly. */
static void sort(struct vm_debug_event *events, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (by_position(&events[i - 1], &events[i]) <= 0) continue;
        qsort(events, count, sizeof *events, by_position);
        return;
    }
}

/* Adds the events of a list, at most *limit, whose code starts at that byte. No field is trusted:
 * the shape of each is tested. False, and no event was added: they are ill-formed, or there is no
 * memory. */
static bool add_list(struct vm_debuginfo *t, value list, uint64_t start, size_t *limit) {
    size_t before = t->count;
    bool good = is_list(list);
    for (; good && is_block(list); list = field(list, 1))
        good = (*limit)-- > 0 && add_event(t, field(list, 0), start);
    free(t->seen);
    t->seen = NULL;
    t->seen_count = t->seen_capacity = 0;
    if (good) sort(t->events + before, t->count - before);
    else t->count = before;
    return good;
}

/* ---- Units. ---- */

static enum vm_status need_bytes(const struct vm_debuginfo *t, size_t from, size_t length,
                                 struct vm_error *error) {
    return t->image == NULL ? VM_OK : vm_image_read_debug(t->image, from, length, error);
}

static enum vm_status read_word(const struct vm_debuginfo *t, size_t *at, uint32_t *word,
                                struct vm_error *error) {
    ASSERT(*at <= t->length);
    if (t->length - *at < 4)
        return vm_error_set(error, VM_BAD_MARSHAL, "DBUG ends after %zu units", t->unit_count);
    enum vm_status status = need_bytes(t, *at, 4, error);
    if (status != VM_OK) return status;
    *word = (uint32_t)marshal_load(t->bytes + *at, 4);
    *at += 4;
    return VM_OK;
}

/* Skips a marshalled value. */
static enum vm_status skip_value(const struct vm_debuginfo *t, size_t *at, struct vm_error *error) {
    size_t n = t->length - *at, used;
    enum vm_status status = need_bytes(t, *at, VM_MARSHAL_BIG_HEADER, error);
    if (status == VM_OK) status = vm_marshal_read_extent(t->bytes + *at, n, &used, error);
    if (status == VM_OK) *at += used;
    return status;
}

static enum vm_status find_unit(struct vm_debuginfo *t, size_t *at, struct vm_error *error) {
    uint32_t start = 0;
    enum vm_status status = read_word(t, at, &start, error);
    if (status != VM_OK) return status;
    if (!vm_grow((void **)&t->units, t->unit_count, &t->unit_capacity, sizeof *t->units))
        return vm_error_set(error, VM_NO_MEMORY, "for debug information");
    struct unit *unit = &t->units[t->unit_count++];
    *unit = (struct unit){.start = start, .at = *at};
    status = skip_value(t, at, error);
    unit->length = *at - unit->at;
    return status != VM_OK ? status : skip_value(t, at, error);
}

/* A unit without code comes before the one that starts at the same byte. */
static int by_start(const void *a, const void *b) {
    const struct unit *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->length > y->length) - (x->length < y->length);
}

/* The file has the last unit first. */
static enum vm_status find_units(struct vm_debuginfo *t, struct vm_error *error) {
    uint32_t count = 0;
    size_t at = 0;
    enum vm_status status = read_word(t, &at, &count, error);
    while (status == VM_OK && t->unit_count < count) status = find_unit(t, &at, error);
    if (t->unit_count > 0) qsort(t->units, t->unit_count, sizeof *t->units, by_start);
    return status;
}

static enum vm_status read_unit(struct vm_debuginfo *t, struct unit *unit, struct vm_error *error) {
    struct vm_arena arena = {0};
    value list;
    size_t used, limit = unit->length; /* an event takes a byte at least */
    ASSERT(!unit->was_read);
    unit->was_read = true;
    unit->first = t->count;
    enum vm_status status = need_bytes(t, unit->at, unit->length, error);
    if (status == VM_OK)
        status = vm_marshal_read_arena(t->bytes + unit->at, unit->length, &arena, &list, &used,
                                       error);
    if (status == VM_OK && !add_list(t, list, unit->start, &limit))
        status = vm_error_set(error, VM_BAD_MARSHAL, "DBUG: a debug event is ill-formed");
    unit->count = t->count - unit->first;
    vm_arena_free(&arena);
    if (t->image != NULL) vm_image_drop_debug(t->image, unit->at, unit->length);
    return status;
}

/* Replaces the units by a single one that has all code and events. */
static bool merge_units(struct vm_debuginfo *t) {
    sort(t->events, t->count);
    free(t->units);
    t->units = malloc(sizeof *t->units);
    t->unit_count = t->unit_capacity = t->units != NULL;
    if (t->units == NULL) return false;
    t->units[0] = (struct unit){.count = t->count, .was_read = true};
    return true;
}

static enum vm_status read_units(struct vm_debuginfo *t, struct vm_error *error) {
    for (size_t i = 0; i < t->unit_count; i++) {
        enum vm_status status = read_unit(t, &t->units[i], error);
        if (status != VM_OK) return status;
    }
    return merge_units(t) ? VM_OK : vm_error_set(error, VM_NO_MEMORY, "for debug information");
}

/* ---- Tables. ---- */

/* whole: all units are read at once. */
static struct vm_debuginfo *open_section(const uint8_t *bytes, size_t n,
                                         const struct vm_image *image, bool whole,
                                         struct vm_error *error) {
    struct vm_debuginfo *t = calloc(1, sizeof *t);
    if (t == NULL) {
        vm_error_set(error, VM_NO_MEMORY, "for debug information");
        return NULL;
    }
    t->bytes = bytes;
    t->length = n;
    t->image = image;
    enum vm_status status = find_units(t, error);
    if (status == VM_OK && whole) status = read_units(t, error);
    if (status == VM_OK) return t;
    vm_debuginfo_delete(t);
    return NULL;
}

struct vm_debuginfo *vm_debuginfo_read(const uint8_t *bytes, size_t n, struct vm_error *error) {
    return open_section(bytes, n, NULL, true, error);
}

/* More than code loaded at run time has; an array may hold the same list many times. */
enum { MAX_EVENTS = 1 << 22 };

struct vm_debuginfo *vm_debuginfo_of_events(value v) {
    struct vm_debuginfo *t = is_block(v) && tag_of(v) == 0 ? calloc(1, sizeof *t) : NULL;
    size_t limit = MAX_EVENTS;
    bool good = t != NULL;
    for (size_t i = 0; good && i < wosize_of(v); i++) good = add_list(t, field(v, i), 0, &limit);
    if (good && merge_units(t)) return t;
    vm_debuginfo_delete(t);
    return NULL;
}

/* ---- The program's. ---- */

static void warn(struct vm *vm, const char *file, const struct vm_error *error) {
    fprintf(vm_err(vm), "%s: damaged debug information (%s): source locations are missing\n", file,
            error->detail);
}

static const char *program_name(const struct vm *vm) {
    return vm->options.executable_name != NULL ? vm->options.executable_name : "program";
}

/* A file of debug information is a container with the sections SYMB and DBUG only. One that doesn't
 * match is ignored: ocamlrun, which reads the variable for its debugger, doesn't complain. */
static void read_debug_file(struct vm *vm, const char *path) {
    struct vm_image image;
    struct vm_error error;
    if (vm_image_open_sections(path, &image, &error) != VM_OK) return;
    const struct vm_section *section = vm_image_section(&image, "DBUG");
    if (section != NULL && image.version == vm->version &&
        vm_image_read_debug(&image, 0, SIZE_MAX, &error) == VM_OK) {
        vm->debug = vm_debuginfo_read(section->bytes, section->length, &error);
        if (vm->debug == NULL) warn(vm, path, &error);
    }
    vm_image_close(&image);
}

void vm_debuginfo_open(struct vm *vm, bool whole) {
    if (vm->debug_status != VM_DEBUG_UNREAD || vm->image == NULL) return;
    vm->debug_status = VM_DEBUG_READ;
    const struct vm_section *section = vm_image_section(vm->image, "DBUG");
    const char *other = secure_getenv("CAML_DEBUG_FILE");
    struct vm_error error;
    if (section == NULL && other != NULL) read_debug_file(vm, other);
    if (section == NULL) return;
    vm->debug = open_section(section->bytes, section->length, vm->image, whole, &error);
    if (vm->debug == NULL) warn(vm, program_name(vm), &error);
}

void vm_debuginfo_free(struct vm *vm) {
    vm_debuginfo_delete(vm->debug);
    vm->debug = NULL;
    for (uint32_t i = 0; i < vm->code_count; i++) vm_debuginfo_delete(vm->codes[i]->debug);
}

/* ---- Locations. ---- */

/* The unit of a pc; NULL: none. */
static struct unit *unit_of(const struct vm_debuginfo *t, uint32_t pc) {
    size_t low = 0, high = t->unit_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->units[middle].start > (uint64_t)pc * 4) high = middle;
        else low = middle + 1;
    }
    return low == 0 ? NULL : &t->units[low - 1];
}

/* The event of a pc (DI2) among count sorted ones; NULL: there is none. */
static const struct vm_debug_event *event_of(const struct vm_debug_event *events, size_t count,
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
    return low + 1 < count && e[1].pc == pc + 1 ? e + 1 : NULL;
}

bool vm_debuginfo_find(struct vm *vm, uint64_t gpc, struct vm_location *out) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    if (code == NULL) return false;
    bool of_program = code == vm->codes[0];
    if (of_program) vm_debuginfo_open(vm, false);
    struct vm_debuginfo *t = of_program ? vm->debug : code->debug;
    uint32_t pc = (uint32_t)(gpc - code->base);
    struct unit *unit = t == NULL ? NULL : unit_of(t, pc);
    if (unit == NULL) return false;
    struct vm_error error;
    if (!unit->was_read && read_unit(t, unit, &error) != VM_OK) warn(vm, program_name(vm), &error);
    const struct vm_debug_event *e = event_of(t->events + unit->first, unit->count, pc);
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
