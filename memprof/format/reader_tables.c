/* reader_tables.c - the reader's tables: strings, locations, call stacks, states of samples. */
#include "gc/assert.h"
#include "memprof/format/reader_internal.h"

#include <stdlib.h>
#include <string.h>

enum sample_state { SAMPLE_DEAD, SAMPLE_YOUNG, SAMPLE_OLD };

/* Appends an item. False: out of memory, or of numbers. */
#define ADD(table, item) \
    ((table)->count < UINT32_MAX && vector_push(table, item, MP_TABLE_FIRST, NULL))

bool mp_tables_init(struct mp_tables *t) {
    const struct mp_stack_node no_frame = {0, 0, 0};
    if (!mp_tables_add_string(t, &(struct mp_text){"", 0})) return false;
    const struct mp_location unknown = {
        .file = t->strings.items[0], .definition = t->strings.items[0], .tag = -1};
    return ADD(&t->locations, unknown) && ADD(&t->nodes, no_frame);
}

void mp_tables_free(struct mp_tables *t) {
    for (size_t i = 0; i < t->strings.count; i++) free(t->strings.items[i]);
    free(t->strings.items);
    free(t->locations.items);
    free(t->nodes.items);
    free(t->samples.items);
    free(t->phases.items);
}

bool mp_tables_keep_text(const struct mp_text *text, struct mp_text *copy) {
    char *bytes = malloc(text->length + 1);
    if (bytes == NULL) return false;
    memcpy(bytes, text->bytes, text->length);
    bytes[text->length] = 0;
    *copy = (struct mp_text){bytes, text->length};
    return true;
}

bool mp_tables_add_string(struct mp_tables *t, const struct mp_text *text) {
    struct mp_text copy;
    if (!mp_tables_keep_text(text, &copy)) return false;
    if (ADD(&t->strings, (char *)copy.bytes)) return true;
    free((char *)copy.bytes);
    return false;
}

bool mp_tables_add_location(struct mp_tables *t, const struct mp_record_location *l) {
    ASSERT(l->file < t->strings.count && l->definition < t->strings.count); /* PR3 */
    const struct mp_location location = {
        .code = l->code,
        .file = t->strings.items[l->file],
        .definition = t->strings.items[l->definition],
        .line = (uint32_t)l->line,
        .start = (uint32_t)l->start,
        .end = (uint32_t)l->end,
        .tag = -1,
    };
    return ADD(&t->locations, location);
}

bool mp_tables_add_node(struct mp_tables *t, uint32_t caller, uint32_t location) {
    ASSERT(caller < t->nodes.count && location > 0 && location < t->locations.count); /* PR3 */
    const struct mp_stack_node node = {caller, location, t->nodes.items[caller].depth + 1};
    return ADD(&t->nodes, node);
}

bool mp_tables_add_sample(struct mp_tables *t, bool young) {
    return ADD(&t->samples, young ? SAMPLE_YOUNG : SAMPLE_OLD);
}

static bool change_state(struct mp_tables *t, uint64_t id, enum sample_state from,
                         enum sample_state to) {
    if (id >= t->samples.count || t->samples.items[id] != from) return false;
    t->samples.items[id] = (uint8_t)to;
    return true;
}

bool mp_tables_promote(struct mp_tables *t, uint64_t id) {
    return change_state(t, id, SAMPLE_YOUNG, SAMPLE_OLD);
}

bool mp_tables_kill(struct mp_tables *t, uint64_t id, enum mp_generation generation) {
    return change_state(t, id, generation == MP_DIED_MINOR ? SAMPLE_YOUNG : SAMPLE_OLD,
                        SAMPLE_DEAD);
}

/* ---- Access. ---- */

uint32_t mp_reader_location_count(const struct mp_reader *r) {
    return (uint32_t)r->tables.locations.count - 1;
}
uint32_t mp_reader_stack_count(const struct mp_reader *r) {
    return (uint32_t)r->tables.nodes.count - 1;
}
uint64_t mp_reader_sample_count(const struct mp_reader *r) { return r->tables.samples.count; }

const struct mp_location *mp_reader_location(const struct mp_reader *r, uint32_t number) {
    ASSERT(number < r->tables.locations.count);
    return &r->tables.locations.items[number];
}

const struct mp_stack_node *mp_reader_stack(const struct mp_reader *r, uint32_t number) {
    ASSERT(number < r->tables.nodes.count);
    return &r->tables.nodes.items[number];
}

uint32_t mp_reader_string_count(const struct mp_reader *r) {
    return (uint32_t)r->tables.strings.count - 1;
}

const char *mp_reader_string(const struct mp_reader *r, uint32_t number) {
    ASSERT(number < r->tables.strings.count);
    return r->tables.strings.items[number];
}
