/* scan_test.c - debug events that are read from marshalled lists, without making values, all or
 * one at a time, are those that the same lists have as values. */
#include "gc/value.h"
#include "vm/base/arena.h"
#include "vm/marshal/debug_events.h"
#include "vm/marshal/header.h"
#include "vm/marshal/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_BYTES = 1 << 20, EVENTS = 300 };

/* A marshalled value that is being written. */
struct output {
    uint8_t bytes[MOST_BYTES];
    size_t count;
    uint32_t objects, words;
    uint32_t file, name, location; /* objects of the last event */
};

static void put(struct output *o, uint64_t n, unsigned bytes) {
    while (bytes > 0) o->bytes[o->count++] = (uint8_t)(n >> 8 * --bytes);
}

static void put_block(struct output *o, unsigned tag, uint32_t fields) {
    if (fields < 8) put(o, 0x80 + tag + 16 * fields, 1);
    else put(o, 0x08, 1), put(o, (uint64_t)fields << 10 | tag, 4);
    o->objects += fields > 0;
    o->words += fields > 0 ? fields + 1 : 0;
}

static void put_int(struct output *o, int32_t n) {
    if (n >= 0 && n < 64) put(o, 0x40 + (unsigned)n, 1);
    else if (n == (int8_t)n) put(o, 0x00, 1), put(o, (uint64_t)n, 1);
    else if (n == (int16_t)n) put(o, 0x01, 1), put(o, (uint64_t)n, 2);
    else put(o, 0x02, 1), put(o, (uint64_t)n, 4);
}

static uint32_t put_text(struct output *o, const char *text) {
    const size_t n = strlen(text);
    if (n < 32) put(o, 0x20 + n, 1);
    else put(o, 0x09, 1), put(o, n, 1);
    memcpy(o->bytes + o->count, text, n);
    o->count += n;
    o->words += (uint32_t)(n / 8) + 2;
    return o->objects++;
}

static void put_reference(struct output *o, uint32_t object) {
    const uint32_t distance = o->objects - object;
    if (distance < 256) put(o, 0x04, 1), put(o, distance, 1);
    else if (distance < 65536) put(o, 0x05, 1), put(o, distance, 2);
    else put(o, 0x06, 1), put(o, distance, 4);
}

/* What is passed over: every kind of item that plain data has. */
static void put_types(struct output *o, int n) {
    put_block(o, 2, 10);
    put_int(o, -n), put_int(o, 100000 * n), put_block(o, 7, 0);
    put_text(o, "a string of more than thirty-one bytes");
    put(o, 0x0C, 1), put(o, 0, 8), o->objects++, o->words += 2; /* a float */
    put(o, 0x0E, 1), put(o, 2, 1), put(o, 0, 8), put(o, 0, 8);  /* an array of two */
    o->objects++, o->words += 3;
    put(o, 0x19, 1), put(o, 0x5F6A00, 3), put(o, 0, 8), o->objects++, o->words += 3; /* Int64.t */
    put_block(o, 0, (uint32_t)(n % 12) + 1);
    for (int i = 0; i <= n % 12; i++) put_int(o, i);
    put(o, 0x03, 1), put(o, 1, 8); /* an integer of 8 bytes */
    put_text(o, "");
}

static void put_position(struct output *o, int n) {
    put_block(o, 0, 4);
    if (n % 40 == 0) o->file = put_text(o, n % 80 == 0 ? "a.ml" : "b.ml");
    else put_reference(o, o->file);
    put_int(o, n), put_int(o, 50 * n), put_int(o, 50 * n + n % 30);
}

/* Some events have the location of the one before, some have an end that is the start. */
static void put_location(struct output *o, int n) {
    if (n % 5 == 4) {
        put_reference(o, o->location);
        return;
    }
    o->location = o->objects;
    put_block(o, 0, 3);
    const uint32_t start = o->objects;
    put_position(o, n);
    if (n % 7 == 6) put_reference(o, start);
    else put_position(o, n + 1);
    put_int(o, 0);
}

static void put_event(struct output *o, int n, int at) {
    put_block(o, 0, 2);
    put_block(o, 0, 11);
    put_int(o, at);
    put_text(o, "Module");
    put_location(o, n);
    if (n % 3 == 0) put_int(o, 0);
    else put_block(o, 0, 1), put_types(o, n);
    if (n % 10 == 0) o->name = put_text(o, n % 20 == 0 ? "Module.f" : "Module.g");
    else put_reference(o, o->name);
    for (int i = 5; i < 11; i++) put_types(o, n + i);
}

static void put_header(const struct output *o, uint8_t *to) {
    const uint32_t parts[5] = {VM_MARSHAL_MAGIC_SMALL, (uint32_t)o->count, o->objects, 0, o->words};
    for (int i = 0; i < VM_MARSHAL_SMALL_HEADER; i++)
        to[i] = (uint8_t)(parts[i / 4] >> (24 - 8 * (i % 4)));
}

/* A marshalled list, after its header; step: from an event's position to the next one's. */
static size_t write_list(uint8_t *to, int first, int step) {
    static struct output o;
    o = (struct output){.count = 0};
    for (int i = 0; i < EVENTS; i++) put_event(&o, i, first + step * (i / 2 * 2));
    put_int(&o, 0);
    put_header(&o, to);
    memcpy(to + VM_MARSHAL_SMALL_HEADER, o.bytes, o.count);
    return VM_MARSHAL_SMALL_HEADER + o.count;
}

static bool same_event(const struct vm_debug_event *a, const struct vm_debug_event *b) {
    return a->pc == b->pc && a->line == b->line && a->start == b->start && a->end == b->end &&
           a->end_line == b->end_line && a->end_column == b->end_column &&
           strcmp(a->file, b->file) == 0 && strcmp(a->definition, b->definition) == 0;
}

static void same_events(const uint8_t *bytes, size_t n) {
    struct debug_events scanned = {.no_memory = false}, made = {.no_memory = false};
    struct vm_arena arena = {0};
    struct vm_error error;
    value list;
    size_t used, limit = n;
    assert_int_equal(vm_marshal_read_arena(bytes, n, &arena, &list, &used, &error), VM_OK);
    assert_true(debug_events_add_list(&made, list, 4000, &limit));
    assert_int_equal(debug_events_add_marshalled(&scanned, bytes, n, 4000, &error), VM_OK);
    assert_int_equal(made.table.count, EVENTS);
    assert_int_equal(scanned.table.count, EVENTS);
    for (size_t i = 0; i < EVENTS; i++)
        assert_true(same_event(&made.table.items[i], &scanned.table.items[i]));
    debug_events_free(&made);
    debug_events_free(&scanned);
    vm_arena_free(&arena);
}

static uint8_t bytes[MOST_BYTES];

static void di1_events_of_marshalled_lists_are_those_of_values(void **state) {
    same_events(bytes, write_list(bytes, 0, 16));            /* ascending */
    same_events(bytes, write_list(bytes, 16 * EVENTS, -16)); /* as the compiler writes them */
    same_events(bytes, write_list(bytes, 0, 0));             /* all at one position */
}

/* Bytes that are there as long as no others are fetched. */
struct absent {
    const uint8_t *all;
    uint8_t *there;
    size_t n;
    bool fails;
};

static enum vm_status fetch(void *context, const uint8_t *from, size_t n, struct vm_error *error) {
    const struct absent *a = context;
    const size_t at = (size_t)(from - a->there);
    assert_true(n > 0 && at + n <= a->n);
    memset(a->there, 0x80, a->n); /* blocks without fields */
    memcpy(a->there + at, a->all + at, n);
    return a->fails ? vm_error_set(error, VM_NO_FILE, "it became shorter") : VM_OK;
}

static void same_single_events(size_t n) {
    struct debug_events table = {.no_memory = false}, texts = {.no_memory = false};
    struct absent absent = {bytes, malloc(n), n, false};
    struct debug_list list;
    struct vm_debug_event event;
    struct vm_error error;
    memcpy(absent.there, bytes, n);
    assert_int_equal(debug_events_add_marshalled(&table, bytes, n, 4000, &error), VM_OK);
    assert_int_equal(debug_list_open(&list, absent.there, n, 4000, &error), VM_OK);
    assert_int_equal(list.rows.count, EVENTS);
    for (size_t i = EVENTS; i-- > 0;) {
        const struct debug_row *row = &list.rows.items[i];
        size_t found = 0;
        if (i > 0)
            assert_true(row[-1].pc > row->pc ||
                        (row[-1].pc == row->pc && row[-1].noted < row->noted));
        assert_int_equal(debug_list_event(&list, i, &texts, fetch, &absent, &event, &error), VM_OK);
        for (size_t j = 0; j < EVENTS; j++) found += same_event(&event, &table.table.items[j]);
        assert_true(found > 0);
        assert_int_equal(row->pc, event.pc);
    }
    absent.fails = true;
    assert_int_equal(debug_list_event(&list, 0, &texts, fetch, &absent, &event, &error),
                     VM_NO_FILE);
    debug_list_free(&list);
    debug_events_free(&table);
    debug_events_free(&texts);
    free(absent.there);
}

static void di5_single_events_are_those_of_a_table(void **state) {
    same_single_events(write_list(bytes, 0, 16));
    same_single_events(write_list(bytes, 16 * EVENTS, -16));
    same_single_events(write_list(bytes, 0, 0));
}

/* Every list that ends early, and every one with a byte of another value, is read or refused. */
static void u1_damaged_lists_are_refused(void **state) {
    const size_t n = write_list(bytes, 0, 16), head = VM_MARSHAL_SMALL_HEADER;
    struct vm_error error;
    size_t refused = 0;
    for (size_t i = 0; i < n; i += i < 2000 ? 1 : 97) {
        struct debug_events events = {.no_memory = false};
        uint8_t *copy = malloc(n); /* as long as the data: sanitizers see what is read behind it */
        memcpy(copy, bytes, n);
        if (i >= head) copy[i] ^= 0x1F;
        refused += debug_events_add_marshalled(&events, copy, n, 0, &error) != VM_OK;
        debug_events_free(&events);
        free(copy);
        events = (struct debug_events){.no_memory = false};
        copy = malloc(i + 1);
        memcpy(copy, bytes, i);
        assert_int_not_equal(debug_events_add_marshalled(&events, copy, i, 0, &error), VM_OK);
        if (i >= head) { /* the data that is there, with a header for it */
            static struct output o;
            o.count = i - head;
            put_header(&o, copy);
            assert_int_not_equal(debug_events_add_marshalled(&events, copy, i, 0, &error), VM_OK);
        }
        debug_events_free(&events);
        free(copy);
    }
    assert_true(refused > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(di1_events_of_marshalled_lists_are_those_of_values),
        cmocka_unit_test(di5_single_events_are_those_of_a_table),
        cmocka_unit_test(u1_damaged_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
