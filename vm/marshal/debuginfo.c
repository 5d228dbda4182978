/* debuginfo.c - debug events by compilation unit; see debuginfo.h.
 *
 * Section DBUG, numbers big-endian:
 *
 *     count[4] | count x { start of the unit's code in bytes[4] | marshalled list of events |
 *                          marshalled list of folders }
 *
 * The events also contain types and environments, which are most of the section (16 MB of the
 * compiler's 19). So a program's table holds the position of each list. When a location in its unit
 * is requested, the list is walked over once, without making values of it, to find its events; of
 * these the ones that are requested are read, from a few pages of the file. */
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
#include <string.h>

enum {
    FIRST_ROWS = IF_SMALL_TABLES(1, 64),
    PAGE_BYTES = 4096,
    MOST_PAGES = IF_SMALL_TABLES(2, 64), /* that are kept, if no single event needs more */
};

/* The code of a unit ends where the next one's starts (DI4). */
struct unit {
    uint64_t start;    /* of its code, in bytes */
    size_t at, length; /* of its list in the section */
    bool was_opened;   /* its list, or it could not be */
    struct debug_list list;
};

struct vm_debuginfo {
    struct debug_events events;       /* all of them, if there are no units */
    struct VECTOR(struct unit) units; /* by ascending start */
    const uint8_t *bytes;             /* the section, as long as there are units to read */
    size_t length;
    const struct vm_image *image; /* its file holds the bytes; NULL: they are in memory */
    uint8_t *pages;               /* of the section, a bit each: those that have been read */
    size_t page_count;            /* of these */
};

static void free_units(struct vm_debuginfo *t) {
    for (size_t i = 0; i < t->units.count; i++) debug_list_free(&t->units.items[i].list);
    free(t->units.items);
    t->units.items = NULL;
    t->units.count = t->units.capacity = 0;
}

void vm_debuginfo_delete(struct vm_debuginfo *t) {
    if (t == NULL) return;
    debug_events_free(&t->events);
    free_units(t);
    free(t->pages);
    free(t);
}

const struct vm_debug_event *vm_debuginfo_events(const struct vm_debuginfo *t, size_t *count) {
    ASSERT(t->units.count == 0);
    *count = t->events.table.count;
    return t->events.table.items;
}

/* ---- Bytes. ---- */

static enum vm_status need_bytes(const struct vm_debuginfo *t, size_t from, size_t length,
                                 struct vm_error *error) {
    return t->image == NULL ? VM_OK : vm_image_read_debug(t->image, from, length, error);
}

static void drop_bytes(const struct vm_debuginfo *t) {
    if (t->image != NULL) vm_image_drop_debug(t->image, 0, SIZE_MAX);
}

static void drop_pages(struct vm_debuginfo *t) {
    if (t->page_count == 0) return;
    memset(t->pages, 0, t->length / PAGE_BYTES / 8 + 1);
    t->page_count = 0;
    drop_bytes(t);
}

static bool has_page(const struct vm_debuginfo *t, size_t i) {
    return t->pages[i / 8] >> i % 8 & 1;
}

/* As debug_fetch: reads those pages of the section that are not there. */
static enum vm_status fetch_pages(void *context, const uint8_t *bytes, size_t n,
                                  struct vm_error *error) {
    struct vm_debuginfo *t = context;
    const size_t first = (size_t)(bytes - t->bytes) / PAGE_BYTES;
    const size_t end = ((size_t)(bytes - t->bytes) + n - 1) / PAGE_BYTES + 1;
    enum vm_status status = VM_OK;
    size_t missing = 0;
    for (size_t i = first; i < end; i++) missing += !has_page(t, i);
    if (missing > 0 && t->page_count + missing > MOST_PAGES) drop_pages(t);
    for (size_t i = first; i < end && status == VM_OK; i++) {
        if (has_page(t, i)) continue;
        status = need_bytes(t, i * PAGE_BYTES, PAGE_BYTES, error);
        t->pages[i / 8] |= (uint8_t)(1 << i % 8);
        t->page_count++;
    }
    if (status != VM_OK) drop_pages(t);
    return status;
}

/* ---- Units. ---- */

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

static enum vm_status open_unit(struct vm_debuginfo *t, struct unit *unit, struct vm_error *error) {
    ASSERT(!unit->was_opened);
    unit->was_opened = true;
    drop_pages(t);
    enum vm_status status = need_bytes(t, unit->at, unit->length, error);
    if (status == VM_OK)
        status = debug_list_open(&unit->list, t->bytes + unit->at, unit->length, unit->start,
                                 error);
    drop_bytes(t);
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
    struct vm_debuginfo *t = vm->debug;
    const struct unit *unit = unit_in_section(vm, gpc);
    if (unit == NULL) return false;
    size_t at = unit->at;
    drop_pages(t);
    const struct unit *last = &t->units.items[t->units.count - 1];
    *out = (struct vm_debug_events){
        .start = unit->start / 4,
        .end = unit == last ? vm->codes[0]->word_count : unit[1].start / 4,
    };
    bool read = read_value(t, &at, arena, &out->list);
    out->bytes = at - unit->at;
    drop_bytes(t);
    return read;
}

bool vm_debuginfo_read_folders(struct vm *vm, uint64_t gpc, struct vm_arena *arena, value *out) {
    const struct unit *unit = unit_in_section(vm, gpc);
    if (unit == NULL) return false;
    size_t at = unit->at + unit->length;
    return read_value(vm->debug, &at, arena, out);
}

/* Reads all events into the table, which has no units then. */
static enum vm_status read_units(struct vm_debuginfo *t, struct vm_error *error) {
    enum vm_status status = VM_OK;
    for (size_t i = 0; i < t->units.count && status == VM_OK; i++) {
        const struct unit *unit = &t->units.items[i];
        status = need_bytes(t, unit->at, unit->length, error);
        if (status == VM_OK)
            status = debug_events_add_marshalled(&t->events, t->bytes + unit->at, unit->length,
                                                 unit->start, error);
        drop_bytes(t);
    }
    debug_events_sort(t->events.table.items, t->events.table.count);
    free_units(t);
    return status;
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
    t->pages = calloc(n / PAGE_BYTES / 8 + 1, 1);
    enum vm_status status = t->pages == NULL
                                ? vm_error_set(error, VM_NO_MEMORY, "for debug information")
                                : find_units(t, error);
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
    if (good) {
        debug_events_sort(t->events.table.items, t->events.table.count);
        return t;
    }
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

/* The event of a pc (DI2) in a table; before: the last one at or before it. */
static bool table_event(const struct debug_events *t, uint32_t pc, bool before,
                        struct vm_debug_event *out) {
    const struct vm_debug_event *events = t->table.items;
    size_t n = sorted_prefix(t->table.count, i, events[i].pc <= pc);
    if (n > 0 && (before || events[n - 1].pc == pc)) *out = events[n - 1];
    else if (!before && n < t->table.count && events[n].pc == pc + 1) *out = events[n];
    else return false;
    return true;
}

/* Of the events at the pc of a row, which is the first that has it, the last one, or the first. */
static enum vm_status one_event(struct vm_debuginfo *t, struct debug_list *list, size_t row,
                                bool last, struct vm_debug_event *out, struct vm_error *error) {
    debug_fetch *fetch = t->image == NULL ? NULL : fetch_pages;
    const struct debug_row *rows = list->rows.items;
    enum vm_status status = debug_list_event(list, row, &t->events, fetch, t, out, error);
    struct vm_debug_event event;
    while (status == VM_OK && ++row < list->rows.count && rows[row].pc == out->pc) {
        status = debug_list_event(list, row, &t->events, fetch, t, &event, error);
        const int order = status == VM_OK ? debug_events_order(&event, out) : 0;
        if (status == VM_OK && (last ? order >= 0 : order < 0)) *out = event;
    }
    return status;
}

/* The same in a marshalled list (DI5). */
static bool list_event(struct vm *vm, struct vm_debuginfo *t, struct debug_list *list, uint32_t pc,
                       bool before, struct vm_debug_event *out) {
    const struct debug_row *rows = list->rows.items;
    size_t n = sorted_prefix(list->rows.count, i, rows[i].pc > pc);
    struct vm_error error;
    bool found = n < list->rows.count && (before || rows[n].pc == pc);
    if (!found) {
        if (before || n == 0 || rows[n - 1].pc != pc + 1) return false;
        n = sorted_prefix(n, i, rows[i].pc > pc + 1);
    }
    if (one_event(t, list, n, found, out, &error) == VM_OK) return true;
    warn(vm, program_name(vm), &error);
    debug_list_free(list);
    return false;
}

/* The event of a global pc; *base: of its code. */
static bool find_event(struct vm *vm, uint64_t gpc, bool before, struct vm_debug_event *out,
                       uint64_t *base) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    bool of_program = code == vm->codes[0];
    struct vm_error error;
    if (code == NULL) return false;
    if (of_program) vm_debuginfo_open(vm, false);
    struct vm_debuginfo *t = of_program ? vm->debug : code->debug;
    if (t == NULL) return false;
    const uint32_t pc = (uint32_t)(gpc - code->base);
    *base = code->base;
    if (t->units.count == 0) return table_event(&t->events, pc, before, out);
    struct unit *unit = unit_of(t, pc);
    if (unit == NULL) return false;
    if (!unit->was_opened && open_unit(t, unit, &error) != VM_OK)
        warn(vm, program_name(vm), &error);
    return list_event(vm, t, &unit->list, pc, before, out);
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
    struct vm_debug_event event;
    uint64_t base;
    if (!find_event(vm, gpc, false, &event, &base)) return false;
    *out = location_of(&event);
    return true;
}

bool vm_debuginfo_find_before(struct vm *vm, uint64_t gpc, uint64_t first,
                              struct vm_location *out) {
    struct vm_debug_event event;
    uint64_t base;
    if (!find_event(vm, gpc, true, &event, &base) || base + event.pc < first) return false;
    *out = location_of(&event);
    return true;
}
