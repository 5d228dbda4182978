/* tables.c - see tables.h. A table is a record of its size, its buckets, a seed, and the number of
 * buckets with which it was created; a bucket is a list of cells of a key, data, and the next one.
 */
#include "memprof/report/heap/tables.h"

#include "memprof/report/heap/examples.h"
#include "memprof/report/heap/types.h"

#include <string.h>

enum { FIELD_SIZE, FIELD_BUCKETS, FIELD_SEED, FIELD_CREATED, RECORD_FIELDS };
enum { CELL_NEXT = 2, CELL_FIELDS };

static bool is_block(const struct heap_graph *g, uint32_t node, uint64_t fields) {
    return node > g->roots && g->kind_list.at[heap_kind_of(g, node)].tag == 0 &&
           heap_words(g, node) == fields + 1;
}

/* What a field leads to; 0: nothing. */
static uint32_t target_of(const struct heap_graph *g, uint32_t node, uint32_t field) {
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
        if (g->fields[e] == field) return g->edges[e];
    return 0;
}

/* The cells of all buckets; `most` + 1: there are more, or blocks that are no cells. */
static uint64_t count_cells(const struct heap_graph *g, uint32_t array, uint64_t most) {
    uint64_t count = 0;
    for (uint32_t e = g->first[array]; e < g->first[array + 1]; e++) {
        uint32_t cell = g->fields[e] == HEAP_NO_FIELD ? 0 : g->edges[e];
        for (; cell != 0; cell = target_of(g, cell, CELL_NEXT))
            if (!is_block(g, cell, CELL_FIELDS) || ++count > most) return most + 1;
    }
    return count;
}

/* The integers in the record's fields. False: it is not one of a table, or they are not known. */
static bool read_record(const struct heap_graph *g, uint32_t record, uint32_t array,
                        int64_t numbers[RECORD_FIELDS]) {
    if (!is_block(g, record, RECORD_FIELDS) || target_of(g, record, FIELD_BUCKETS) != array)
        return false;
    const struct heap_content content = heap_content(g, record);
    if (content.kind != HEAP_FIELDS || content.count != RECORD_FIELDS - 1) return false;
    for (uint32_t i = 0; i < content.count; i++) numbers[content.fields[i]] = content.numbers[i];
    return true;
}

/* Whether it is a power of two. */
static bool is_power(uint64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static bool is_typed(const struct heap_graph *g, uint32_t array) {
    static const char bucket[] = ".bucketlist";
    const char *name = heap_type_name(g, heap_element_type(g, array));
    const size_t length = name == NULL ? 0 : strlen(name), tail = sizeof bucket - 1;
    return length >= tail && strcmp(name + length - tail, bucket) == 0;
}

bool heap_table_at(const struct heap_graph *g, uint32_t record, uint32_t array, uint64_t most,
                   struct heap_table *out) {
    int64_t numbers[RECORD_FIELDS] = {0};
    const uint64_t buckets = heap_words(g, array) - 1;
    bool read = read_record(g, record, array, numbers);
    const uint64_t created = (uint64_t)numbers[FIELD_CREATED];
    /* It is negative while the table is iterated over. */
    out->created = numbers[FIELD_CREATED] < 0 ? -created : created;
    out->entries = count_cells(g, array, most);
    if (is_typed(g, array)) return true;
    return read && heap_element_type(g, array) == 0 && out->entries > 0 && out->entries <= most &&
           (uint64_t)numbers[FIELD_SIZE] == out->entries && is_power(buckets) &&
           is_power(out->created) && out->created <= buckets;
}
