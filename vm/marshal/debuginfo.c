/* debuginfo.c - debug information by compilation unit; see debuginfo.h.
 *
 * Section DBUG, numbers big-endian:
 *
 *     count[4] | count x { start of the unit's code in bytes[4] | marshalled list of events |
 *                          marshalled list of folders }
 *
 * The events carry types and environments too, which make up nearly all of the section (16 MB of
 * the compiler's 19): a program's table knows where the lists lie, and reads a unit's when somebody
 * asks for a place in it. A list is read into an arena that is dropped once the few fields of
 * interest are copied. */
#include "vm/marshal/debuginfo.h"

#include "vm/image/image.h"
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

struct vm_debuginfo {
    struct vm_debugevents table;
    struct unit *units; /* in the order of their starts */
    size_t unit_count, unit_capacity;
    const uint8_t *bytes; /* the section, as long as there are units to read */
    size_t length;
    const struct vm_image *image; /* where its bytes come from when they are needed; NULL: they are
                                     there */
};

void vm_debuginfo_delete(struct vm_debuginfo *t) {
    if (t == NULL) return;
    vm_debugevents_free(&t->table);
    free(t->units);
    free(t);
}

const struct vm_debug_event *vm_debuginfo_events(const struct vm_debuginfo *t, size_t *count) {
    *count = t->table.count;
    return t->table.events;
}

const char *vm_debuginfo_text(const struct vm_debuginfo *t, uint32_t number) {
    return t->table.texts[number];
}

/* ---- Units. ---- */

static enum vm_status need_bytes(const struct vm_debuginfo *t, size_t from, size_t length,
                                 struct vm_error *error) {
    return t->image == NULL ? VM_OK : vm_image_read_debug(t->image, from, length, error);
}

static enum vm_status read_word(const struct vm_debuginfo *t, size_t *at, uint32_t *word,
                                struct vm_error *error) {
    if (t->length - *at < 4)
        return vm_error_set(error, VM_BAD_MARSHAL, "DBUG ends after %zu units", t->unit_count);
    enum vm_status status = need_bytes(t, *at, 4, error);
    if (status != VM_OK) return status;
    const uint8_t *p = t->bytes + *at;
    *word = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    *at += 4;
    return VM_OK;
}

/* Goes over a marshalled value. */
static enum vm_status skip_value(const struct vm_debuginfo *t, size_t *at, struct vm_error *error) {
    size_t n = t->length - *at, used;
    enum vm_status status = need_bytes(t, *at, VM_MARSHAL_BIG_HEADER, error);
    if (status == VM_OK) status = vm_marshal_read_extent(t->bytes + *at, n, &used, error);
    if (status == VM_OK) *at += used;
    return status;
}

static enum vm_status find_unit(struct vm_debuginfo *t, size_t *at, struct vm_error *error) {
    uint32_t start;
    enum vm_status status = read_word(t, at, &start, error);
    if (status != VM_OK) return status;
    if (t->unit_count == t->unit_capacity) {
        size_t more = 2 * t->unit_capacity + 16;
        struct unit *units = realloc(t->units, more * sizeof *units);
        if (units == NULL) return vm_error_set(error, VM_NO_MEMORY, "for debug information");
        t->units = units;
        t->unit_capacity = more;
    }
    struct unit *unit = &t->units[t->unit_count++];
    *unit = (struct unit){.start = start, .at = *at};
    status = skip_value(t, at, error);
    unit->length = *at - unit->at;
    return status != VM_OK ? status : skip_value(t, at, error);
}

/* Units without code come first, those that start where they do. */
static int by_start(const void *a, const void *b) {
    const struct unit *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->length > y->length) - (x->length < y->length);
}

/* They stand in the file from the last to the first. */
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
    unit->was_read = true;
    unit->first = t->table.count;
    enum vm_status status = need_bytes(t, unit->at, unit->length, error);
    if (status == VM_OK)
        status = vm_marshal_read_arena(t->bytes + unit->at, unit->length, &arena, &list, &used,
                                       error);
    if (status == VM_OK && !vm_debugevents_add(&t->table, list, unit->start, &limit))
        status = vm_error_set(error, VM_BAD_MARSHAL, "DBUG: a debug event is ill-formed");
    unit->count = t->table.count - unit->first;
    vm_arena_free(&arena);
    if (t->image != NULL) vm_image_drop_debug(t->image, unit->at, unit->length);
    return status;
}

/* One unit of all, whose code is all code. */
static bool merge_units(struct vm_debuginfo *t) {
    vm_debugevents_merge(&t->table);
    free(t->units);
    t->units = malloc(sizeof *t->units);
    t->unit_count = t->unit_capacity = t->units != NULL;
    if (t->units == NULL) return false;
    t->units[0] = (struct unit){.count = t->table.count, .was_read = true};
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

/* No piece of code that is loaded at run time has as many events; an array that holds the same list
 * many times does. */
enum { MAX_EVENTS = 1 << 22 };

struct vm_debuginfo *vm_debuginfo_of_events(value v) {
    struct vm_debuginfo *t = is_block(v) && tag_of(v) == 0 ? calloc(1, sizeof *t) : NULL;
    size_t limit = MAX_EVENTS;
    bool good = t != NULL;
    for (size_t i = 0; good && i < wosize_of(v); i++)
        good = vm_debugevents_add(&t->table, field(v, i), 0, &limit);
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
 * fit is as good as none: ocamlrun, which reads the variable for its debugger, doesn't complain. */
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

static void open_program(struct vm *vm, bool whole) {
    if (vm->debug_status != VM_DEBUG_UNREAD || vm->image == NULL) return;
    vm->debug_status = VM_DEBUG_READ;
    if (vm->debug != NULL) return; /* for somebody else than the program */
    const struct vm_section *section = vm_image_section(vm->image, "DBUG");
    const char *other = secure_getenv("CAML_DEBUG_FILE");
    struct vm_error error;
    if (section == NULL && other != NULL) read_debug_file(vm, other);
    if (section == NULL) return;
    vm->debug = open_section(section->bytes, section->length, vm->image, whole, &error);
    if (vm->debug == NULL) warn(vm, program_name(vm), &error);
}

void vm_debuginfo_of_program(struct vm *vm) { open_program(vm, false); }

void vm_debuginfo_load_program(struct vm *vm) { open_program(vm, true); }

void vm_debuginfo_free(struct vm *vm) {
    vm_debuginfo_delete(vm->debug);
    vm->debug = NULL;
}

/* ---- Places. ---- */

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

bool vm_debuginfo_find(struct vm *vm, uint64_t gpc, struct vm_location *out) {
    const struct vm_code *code = vm_code_at(vm, gpc);
    if (code == NULL) return false;
    bool of_program = code == vm->codes[0];
    if (of_program) vm_debuginfo_of_program(vm);
    struct vm_debuginfo *t = of_program ? vm->debug : code->debug;
    uint32_t pc = (uint32_t)(gpc - code->base);
    struct unit *unit = t == NULL ? NULL : unit_of(t, pc);
    if (unit == NULL) return false;
    struct vm_error error;
    if (!unit->was_read && read_unit(t, unit, &error) != VM_OK) warn(vm, program_name(vm), &error);
    const struct vm_debug_event *e = vm_debugevents_find(t->table.events + unit->first, unit->count,
                                                         pc);
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
