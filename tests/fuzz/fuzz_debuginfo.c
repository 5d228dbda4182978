/* fuzz_debuginfo.c - libFuzzer target: any bytes as debug information.
 *
 * The low bits of the first byte say what the rest is: 0, a section DBUG; 1, the marshalled events
 * of a unit of such a section, without their header, whose counts are in bytes 1 to 4; 2, the same
 * as the value that caml_reify_bytecode takes (an array of lists). The events of a table must be in
 * the order of DI1, with texts that can be read (DI3). */
#include "tests/fuzz/marshal_header.h"
#include "tests/fuzz/target.h"
#include "vm/base/arena.h"
#include "vm/marshal/debuginfo.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTS = 5, SECTION_HEAD = 8 };

static bool in_order(const struct vm_debug_event *a, const struct vm_debug_event *b) {
    if (a->pc != b->pc) return a->pc < b->pc;
    if (a->line != b->line) return a->line < b->line;
    if (a->start != b->start) return a->start < b->start;
    return a->end <= b->end;
}

static void check(struct vm_debuginfo *info) {
    size_t count;
    if (info == NULL) return;
    const struct vm_debug_event *events = vm_debuginfo_events(info, &count);
    for (size_t i = 0; i < count; i++) {
        if (strlen(events[i].file) > UINT16_MAX) abort();
        if (strlen(events[i].definition) > UINT16_MAX) abort();
        if (i > 0 && !in_order(&events[i - 1], &events[i])) abort();
    }
    vm_debuginfo_delete(info);
}

static void check_section(const uint8_t *bytes, size_t n) {
    struct vm_error error = {0};
    struct vm_debuginfo *info = vm_debuginfo_read(bytes, n, &error);
    if (info == NULL && error.detail[0] == 0) abort();
    check(info);
}

static void check_value(const uint8_t *bytes, size_t n) {
    struct vm_arena arena = {0};
    struct vm_error error;
    size_t used;
    value v;
    if (vm_marshal_read_arena(bytes, n, &arena, &v, &used, &error) == VM_OK)
        check(vm_debuginfo_of_events(v));
    vm_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < COUNTS || size > UINT16_MAX) return 0;
    if (data[0] % 4 == 0) {
        check_section(data + 1, size - 1);
        return 0;
    }
    /* Count of units, the unit's start, its events, and no folders. */
    static const uint8_t head[SECTION_HEAD] = {0, 0, 0, 1, 0, 0, 0, 0}, none[] = {0x40};
    size_t n = size - COUNTS, events = VM_MARSHAL_SMALL_HEADER + n;
    uint8_t *section = malloc(SECTION_HEAD + events + VM_MARSHAL_SMALL_HEADER + sizeof none);
    if (section == NULL) return 0;
    uint8_t *marshalled = section + SECTION_HEAD, *folders = marshalled + events;
    memcpy(section, head, sizeof head);
    put_marshal_header(marshalled, n, data[1] + 256u * data[2], data[3] + 256u * data[4]);
    memcpy(marshalled + VM_MARSHAL_SMALL_HEADER, data + COUNTS, n);
    put_marshal_header(folders, sizeof none, 0, 0);
    memcpy(folders + VM_MARSHAL_SMALL_HEADER, none, sizeof none);
    if (data[0] % 4 == 1)
        check_section(section, SECTION_HEAD + events + VM_MARSHAL_SMALL_HEADER + sizeof none);
    else check_value(marshalled, events);
    free(section);
    return 0;
}
