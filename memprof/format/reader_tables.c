/* reader_tables.c - the reader's tables: strings, locations, call stacks, states of samples. */
#include "gc/assert.h"
#include "memprof/format/reader_internal.h"

#include <stdlib.h>
#include <string.h>

enum sample_state { SAMPLE_DEAD, SAMPLE_YOUNG, SAMPLE_OLD };

/* Makes room for element number `number` of *items. */
static bool reserve(void *items, size_t *capacity, uint64_t number, size_t item_bytes) {
    void **at = items;
    if (number < *capacity) return true;
    if (number >= UINT32_MAX) return false;
    size_t wider = *capacity == 0 ? 64 : *capacity + *capacity / 2;
    void *moved = realloc(*at, wider * item_bytes);
    if (moved == NULL) return false;
    *at = moved;
    *capacity = wider;
    return true;
}

bool mp_tables_init(struct mp_tables *t) {
    if (!reserve(&t->strings, &t->string_capacity, 0, sizeof *t->strings)) return false;
    t->strings[0] = strdup("");
    bool made = reserve(&t->locations, &t->location_capacity, 0, sizeof *t->locations) &&
                reserve(&t->nodes, &t->node_capacity, 0, sizeof *t->nodes);
    if (!made || t->strings[0] == NULL) return false;
    t->locations[0] = (struct mp_location){
        .file = t->strings[0], .definition = t->strings[0], .tag = -1};
    t->nodes[0] = (struct mp_stack_node){0, 0, 0};
    return true;
}

void mp_tables_free(struct mp_tables *t) {
    for (uint32_t i = 0; t->strings != NULL && i <= t->string_count; i++) free(t->strings[i]);
    free(t->strings);
    free(t->locations);
    free(t->nodes);
    free(t->sample_states);
    free(t->phases);
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
    uint64_t number = (uint64_t)t->string_count + 1;
    if (!reserve(&t->strings, &t->string_capacity, number, sizeof *t->strings)) return false;
    if (!mp_tables_keep_text(text, &copy)) return false;
    t->strings[++t->string_count] = (char *)copy.bytes;
    return true;
}

bool mp_tables_add_location(struct mp_tables *t, const struct mp_record_location *l) {
    uint64_t number = (uint64_t)t->location_count + 1;
    if (!reserve(&t->locations, &t->location_capacity, number, sizeof *t->locations)) return false;
    ASSERT(l->file <= t->string_count && l->definition <= t->string_count); /* PR3 */
    t->locations[++t->location_count] = (struct mp_location){
        .code = l->code,
        .file = t->strings[l->file],
        .definition = t->strings[l->definition],
        .line = (uint32_t)l->line,
        .start = (uint32_t)l->start,
        .end = (uint32_t)l->end,
        .tag = -1,
    };
    return true;
}

bool mp_tables_add_node(struct mp_tables *t, uint32_t caller, uint32_t location) {
    uint64_t number = (uint64_t)t->node_count + 1;
    if (!reserve(&t->nodes, &t->node_capacity, number, sizeof *t->nodes)) return false;
    ASSERT(caller < number && location > 0 && location <= t->location_count); /* PR3 */
    uint32_t depth = t->nodes[caller].depth + 1;
    t->nodes[++t->node_count] = (struct mp_stack_node){caller, location, depth};
    return true;
}

bool mp_tables_add_sample(struct mp_tables *t, bool young) {
    if (!reserve(&t->sample_states, &t->sample_capacity, t->sample_count, 1)) return false;
    t->sample_states[t->sample_count++] = young ? SAMPLE_YOUNG : SAMPLE_OLD;
    return true;
}

bool mp_tables_push_phase(struct mp_tables *t, uint32_t name) {
    if (!reserve(&t->phases, &t->phase_capacity, t->phase_count, sizeof *t->phases)) return false;
    t->phases[t->phase_count++] = name;
    return true;
}

bool mp_tables_pop_phase(struct mp_tables *t, uint32_t *name) {
    if (t->phase_count == 0) return false;
    *name = t->phases[--t->phase_count];
    return true;
}

static bool change_state(struct mp_tables *t, uint64_t id, enum sample_state from,
                         enum sample_state to) {
    if (id >= t->sample_count || t->sample_states[id] != from) return false;
    t->sample_states[id] = (uint8_t)to;
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

uint32_t mp_reader_location_count(const struct mp_reader *r) { return r->tables.location_count; }
uint32_t mp_reader_stack_count(const struct mp_reader *r) { return r->tables.node_count; }
uint32_t mp_reader_string_count(const struct mp_reader *r) { return r->tables.string_count; }
uint64_t mp_reader_sample_count(const struct mp_reader *r) { return r->tables.sample_count; }

const struct mp_location *mp_reader_location(const struct mp_reader *r, uint32_t number) {
    ASSERT(number <= r->tables.location_count);
    return &r->tables.locations[number];
}

const struct mp_stack_node *mp_reader_stack(const struct mp_reader *r, uint32_t number) {
    ASSERT(number <= r->tables.node_count);
    return &r->tables.nodes[number];
}

const char *mp_reader_string(const struct mp_reader *r, uint32_t number) {
    ASSERT(number <= r->tables.string_count);
    return r->tables.strings[number];
}
