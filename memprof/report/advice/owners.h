/* owners.h - what owns blocks of a heap snapshot, and the lines that allocated them, for
 * findings about a snapshot. */
#ifndef BACTRIAN_MEMPROF_REPORT_ADVICE_OWNERS_H
#define BACTRIAN_MEMPROF_REPORT_ADVICE_OWNERS_H

#include "memprof/report/advice/advice.h"
#include "memprof/report/heap/held.h"

/* A holder; or the number of nodes and that of a kind, of blocks of that kind which several roots
 * hold: each of these would be a holder of its own. */
typedef uint64_t report_owner;

/* The line of a sampled block that an owner has; 0: it is not known. */
struct report_owned_sample {
    report_owner owner;
    uint32_t line;
};

struct report_owners {
    struct report_advice *advice;
    const struct heap_graph *graph;
    struct heap_held held;
};

/* The samples of one finding after the other. */
struct report_owned_samples {
    REPORT_VECTOR(struct report_owned_sample) list;
};

/* What a finding says of an owner's blocks; its texts are freed with free(). */
struct report_owner_text {
    bool has_line;
    char *line; /* of most of its sampled blocks; or its name */
    char *held; /* `held by NAME`, or without a line `held there` */
    char *from; /* `; 12 of 20 sampled ones are from this line, 8 from f (a.ml:1)`, or `` */
};

/* Sets the holders, and advice->held. Fails: as report_alloc. */
struct report_owners report_owners_find(struct report_advice *advice,
                                        const struct heap_graph *graph);
void report_owners_free(struct report_owners *owners);
/* The owner of the blocks that a holder has. */
report_owner report_owner_of(const struct report_owners *owners, uint32_t holder);
/* Adds the sample of a block, if it has one, as that of an owner, or of a part of what it has. */
void report_owner_add_sample(const struct report_owners *owners, report_owner owner, uint32_t node,
                             struct report_owned_samples *samples);
/* Sorts them by owner, after which they may be used: */
void report_owned_sort(struct report_owned_samples *samples);
/* The text of an owner; a holder of it, and whether that is the only one. */
struct report_owner_text report_owner_text_of(const struct report_owners *owners,
                                              const struct report_owned_samples *samples,
                                              report_owner owner, uint32_t holder, bool one_holder);

#endif
