/* tables.h - hash tables of the standard library in a heap snapshot. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_TABLES_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_TABLES_H

#include "memprof/report/heap/graph.h"

struct heap_table {
    uint64_t entries;
    uint64_t created; /* with that many buckets; 0: not known */
};

/* Whether an array is the buckets of a Hashtbl, or of a table of ephemerons; record: what leads to
 * it. The array's type says so; or, where it has none, the contents of the record, if the snapshot
 * has contents: as many entries as its size says. Counts `most` + 1 entries at most. */
bool heap_table_at(const struct heap_graph *graph, uint32_t record, uint32_t array, uint64_t most,
                   struct heap_table *out);

#endif
