/* snapshot_internal.h - a snapshot that is being written. */
#ifndef BACTRIAN_MEMPROF_SNAPSHOT_SNAPSHOT_INTERNAL_H
#define BACTRIAN_MEMPROF_SNAPSHOT_SNAPSHOT_INTERNAL_H

#include "memprof/format/writer.h"
#include "memprof/recorder/names.h"

struct domain;

/* Writes all roots that lead to blocks. GC: never. */
void mp_snapshot_roots(struct domain *d, struct mp_names *names);

/* The blocks, as they are written to records BLOCKS. */
struct mp_shapes {
    struct domain *d;
    struct mp_names *names;
    struct mp_record_heap *total;
    uint64_t end;        /* the number of the word after the last block */
    uint64_t block;      /* the number of the block that is being written */
    uint64_t next_field; /* of it: the one after the last edge's */
    uint64_t fields;     /* of it: with the values of its fiber */
    size_t used;
    uint8_t bytes[1 << 16];
};

/* Writes all reachable blocks and counts them in *total. GC: never. */
void mp_snapshot_blocks(struct mp_shapes *shapes);

#endif
