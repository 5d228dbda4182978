/* debuginfo.c - debug events by compilation unit; see debuginfo.h.
 *
 * Section DBUG, numbers big-endian:
 *
 *     count[4] | count x { start of the unit's code in bytes[4] | marshalled list of events |
 *                          marshalled list of folders }
 *
 * The events also contain types and environments, which are most of the section (16 MB of the
 * compiler's 19). So a program's table holds the position of each list, and reads a list when a
 * location in its unit is requested, without making values of it. */
#include "vm/marshal/debuginfo.h"

#include "gc/containers.h"
#include "vm/base/arena.h"
#include "vm/code/code.h"
#include "vm/image/image.h"
#include "vm/marshal/codes.h"
#include "vm/marshal/debug_events.h"
#include "vm/marshal/reader.h"
#include "vm/state/vm.h"

#include <stdlib.h>

enum { FIRST_ROWS = IF_SMALL_TABLES(1, 64) };

/* The code of a unit ends where the next one's starts (DI4). */
struct unit {
    uint64_t start;      /* of its code, in bytes */
    size_t at, length;   /* of its list in the section */
    size_t first, count; /* its events */
    bool was_read;       /* or could not be */
};

struct vm_debuginfo {
    struct debug_events events;
    struct VECTOR(struct unit) units; /* by ascending start */
    const uint8_t *bytes;             /* the section, as long as there are units to read */
    size_t length;
    const struct vm_image *image; /* its file holds the bytes; NULL: they are in memory */
};

void vm_debuginfo_delete(struct vm_debuginfo *t) {
    if (t == NULL) return;
    debug_events_free(&t->events);
    free(t->units.items);
    free(t);
}

const struct vm_debug_event *vm_debuginfo_events(const struct vm_debuginfo *t, size_t *count) {
    ASSERT(t->units.count == 1 && t->units.items[0].was_read);
    *count = t->events.table.count;
    return t->events.table.items;
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
        return vm_error_set(error, VM_BAD_MARSHAL, "DBUG ends after %zu units", t->units.count);
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
    if (!vector_push(&t->units, ((struct unit){.start = start, .at = *at}), FIRST_ROWS, NULL))
        return vm_error_set(error, VM_NO_MEMORY, "for debug information");
    struct unit *unit = &t->units.items[t->units.count - 1];
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

/* The unit of a pc (DI4); NULL: none. */
static struct unit *unit_of(const struct vm_debuginfo *t, uint32_t pc) {
    const struct unit *units = t->units.items;
    size_t n = sorted_prefix(t->units.count, i, units[i].start <= (uint64_t)pc * 4);
    return n == 0 ? NULL : &t->units.items[n - 1];
}

/* In the file the last unit comes first. */
static enum vm_status find_units(struct vm_debuginfo *t, struct vm_error *error) {
    uint32_t count = 0;
    size_t at = 0;
    enum vm_status status = read_word(t, &at, &count, error);
    while (status == VM_OK && t->units.count < count) status = find_unit(t, &at, error);
    if (t->units.count > 0) qsort(t->units.items, t->units.count, sizeof *t->units.items, by_start);
    return status;
}

static enum vm_status read_unit(struct vm_debuginfo *t, struct unit *unit, struct vm_error *error) {
    ASSERT(!unit->was_read);
    unit->was_read = true;
    unit->first = t->events.table.count;
    enum vm_status status = need_bytes(t, unit->at, unit->length, error);
    if (status == VM_OK)
        status = debug_events_add_marshalled(&t->events, t->bytes + unit->at, unit->length,
                                             unit->start, error);
    unit->count = t->events.table.count - unit->first;
    if (t->image != NULL) vm_image_drop_debug(t->image, unit->at, unit->length);
    return status;
}

/* Reads the marshalled value at *at, which it advances, into the arena. */
static bool read_value(const struct vm_debuginfo *t, size_t *at, struct vm_arena *arena,
                       value *out) {
    struct vm_error error;
    size_t end = *at, used;
    bool read = skip_value(t, &end, &error) == VM_OK &&
                need_bytes(t, *at, end - *at, &error) == VM_OK &&
                vm_marshal_read_arena(t->bytes + *at, end - *at, arena, out, &used, &error) ==
                    VM_OK;
    *at = end;
    return read;
}

/* The unit of a gpc in the section; NULL: there is none. */
static const struct unit *unit_in_section(const struct vm *vm, uint64_t gpc) {
    const struct vm_debuginfo *t = gpc < vm->codes[0]->word_count ? vm->debug : NULL;
    const struct unit *unit = t == NULL ? NULL : unit_of(t, (uint32_t)gpc);
    return unit == NULL || unit->length == 0 ? NULL : unit;
}

bool vm_debuginfo_read_events(struct vm *vm, uint64_t gpc, struct vm_arena *arena,
                              struct vm_debug_events *out) {
    const struct vm_debuginfo *t = vm->debug;
    const struct unit *unit = unit_in_section(vm, gpc);
    if (unit == NULL) return false;
    size_t at = unit->at;
    const struct unit *last = &t->units.items[t->units.count - 1];
    *out = (struct vm_debug_events){
        .start = unit->start / 4,
        .end = unit == last ? vm->codes[0]->word_count : unit[1].start / 4,
    };
    bool read = read_value(t, &at, arena, &out->list);
    out->bytes = at - unit->at;
    if (t->image != NULL) vm_image_drop_debug(t->image, unit->at, out->bytes);
    return read;
}

bool vm_debuginfo_read_folders(struct vm *vm, uint64_t gpc, struct vm_arena *arena, value *out) {
    const struct unit *unit = unit_in_section(vm, gpc);
    if (unit == NULL) return false;
    size_t at = unit->at + unit->length;
    return read_value(vm->debug, &at, arena, out);
}

/* Replaces the units by a single one that has all code and events. */
static bool merge_units(struct vm_debuginfo *t) {
    const struct unit all = {.count = t->events.table.count, .was_read = true};
    debug_events_sort(t->events.table.items, t->events.table.count);
    t->units.count = 0;
    return vector_push(&t->units, all, 1, NULL);
}

static enum vm_status read_units(struct vm_debuginfo *t, struct vm_error *error) {
    for (size_t i = 0; i < t->units.count; i++) {
        enum vm_status status = read_unit(t, &t->units.items[i], error);
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

/* Bound on the events of code loaded at run time: a hostile array may contain one list many
 * times. */
enum { MAX_EVENTS = 1 << 22 };

struct vm_debuginfo *vm_debuginfo_of_events(value v) {
    struct vm_debuginfo *t = is_block(v) && tag_of(v) == 0 ? calloc(1, sizeof *t) : NULL;
    size_t limit = MAX_EVENTS;
    bool good = t != NULL;
    for (size_t i = 0; good && i < wosize_of(v); i++)
        good = debug_events_add_list(&t->events, field(v, i), 0, &limit);
    if (good && merge_units(t)) return t;
    vm_debuginfo_delete(t);
    return NULL;
}

/* ---- The program's. ---- */

static void warn(struct vm *vm, const char *file, const struct vm_error *error) {
    if (error->status == VM_NO_MEMORY)
        fprintf(vm_err(vm),
                "%s: not enough memory for debug information: "
                "source locations are missing\n",
                file);
    else
        fprintf(vm_err(vm), "%s: damaged debug information (%s): source locations are missing\n",
                file, error->detail);
}

static const char *program_name(const struct vm *vm) {
    return vm->options.executable_name != NULL ? vm->options.executable_name : "program";
}

static enum vm_debug_status failure_of(enum vm_status status) {
    switch (status) {
    case VM_NO_FILE: return VM_DEBUG_NO_FILE;
    case VM_BAD_MAGIC: return VM_DEBUG_WRONG_MAGIC;
    default: return VM_DEBUG_DAMAGED;
    }
}

/* A file of debug information is a container with the sections SYMB and DBUG only. One that doesn't
 * match is ignored: ocamlrun, which reads the variable for its debugger, doesn't complain. */
static void read_debug_file(struct vm *vm, const char *path) {
    struct vm_image image;
    struct vm_error error;
    enum vm_status status = vm_image_open_sections(path, vm->version, &image, &error);
    if (status != VM_OK) {
        if (vm->version->debug_file_replaces) vm->debug_status = failure_of(status);
        return;
    }
    const struct vm_section *section = vm_image_section(&image, "DBUG");
    if (section != NULL && vm_image_read_debug(&image, 0, SIZE_MAX, &error) == VM_OK) {
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
    if (other != NULL && (section == NULL || vm->version->debug_file_replaces)) {
        read_debug_file(vm, other);
        return;
    }
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

/* The event of a pc (DI2) among count sorted ones; NULL: there is none. */
static const struct vm_debug_event *event_of(const struct vm_debug_event *events, size_t count,
                                             uint32_t pc) {
    size_t n = sorted_prefix(count, i, events[i].pc <= pc);
    if (n > 0 && events[n - 1].pc == pc) return &events[n - 1];
    return n < count && events[n].pc == pc + 1 ? &events[n] : NULL;
}

/* The unit of a pc of the code, after reading it. NULL: there is none. */
static const struct unit *unit_at(struct vm *vm, const struct vm_code *code, uint32_t pc,
                                  const struct vm_debug_event **events) {
    bool of_program = code == vm->codes[0];
    if (of_program) vm_debuginfo_open(vm, false);
    struct vm_debuginfo *t = of_program ? vm->debug : code->debug;
    struct unit *unit = t == NULL ? NULL : unit_of(t, pc);
    if (unit == NULL) return NULL;
    struct vm_error error;
    if (!unit->was_read && read_unit(t, unit, &error) != VM_OK) warn(vm, program_name(vm), &error);
    *events = t->events.table.items + unit->first;
    return unit;
}

static struct vm_location location_of(const struct vm_debug_event *e) {
    return (struct vm_location){
        .file = e->file,
        .definition = e->definition,
        .line = e->line,
        .start = e->start,
        .end = e->end,
        .end_line = e->end_line,
        .end_column = e->end_column,
    };
}

bool vm_debuginfo_find(struct vm *vm, uint64_t gpc, struct vm_location *out) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    const struct vm_debug_event *events, *e = NULL;
    uint32_t pc = code == NULL ? 0 : (uint32_t)(gpc - code->base);
    const struct unit *unit = code == NULL ? NULL : unit_at(vm, code, pc, &events);
    if (unit != NULL) e = event_of(events, unit->count, pc);
    if (e != NULL) *out = location_of(e);
    return e != NULL;
}

bool vm_debuginfo_find_before(struct vm *vm, uint64_t gpc, uint64_t first,
                              struct vm_location *out) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    const struct vm_debug_event *events;
    uint32_t pc = code == NULL ? 0 : (uint32_t)(gpc - code->base);
    const struct unit *unit = code == NULL ? NULL : unit_at(vm, code, pc, &events);
    size_t n = unit == NULL ? 0 : sorted_prefix(unit->count, i, events[i].pc <= pc);
    if (n == 0 || events[n - 1].pc + code->base < first) return false;
    *out = location_of(&events[n - 1]);
    return true;
}
