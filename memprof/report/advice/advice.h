/* advice.h - growth between two moments, and findings: lines of the program that waste memory.
 *
 * AD1  A finding names a line of the user's own: frames of libraries count for their callers.
 * AD2  A finding saves at least 1 % of all words that are allocated, by not allocating or not
 *      promoting them, or 5 % of those that are live at the peak, or 1 % of those in a heap
 *      snapshot, which are counted exactly. */
#ifndef BACTRIAN_MEMPROF_REPORT_ADVICE_ADVICE_H
#define BACTRIAN_MEMPROF_REPORT_ADVICE_ADVICE_H

#include "memprof/report/view/views.h"

/* What grew from one moment to another, and whether it leaks; or, if request->other_path is set,
 * from one heap snapshot to another, which it loads. */
report_view report_view_grow;
/* The findings, the most important ones first. Without a model, those of a heap snapshot,
 * request->path; else also those of the run's snapshot (heap/own.h), if it has contents. */
report_view report_view_advise;
/* What is promoted, by site, what led to it first, and what another minor heap would promote. */
report_view report_view_promoted;

/* ---- Inside the room. ---- */

/* Of request->path and other_path. grow_heap.c. */
report_view report_grow_of_snapshots;

/* What a finding saves. */
enum report_saves {
    REPORT_SAVES_ALLOCATED,
    REPORT_SAVES_LIVE,
    REPORT_SAVES_PROMOTED,
    REPORT_SAVES_HELD /* of a snapshot */
};

struct report_finding {
    uint32_t location; /* 0: it is about the whole program, or line has a text */
    char *line;        /* owned; NULL: that of the location, which report_advice_add sets */
    char *what, *fix;  /* owned */
    bool sure;         /* the profile shows it; else it is likely */
    enum report_saves saves;
    struct report_estimate words; /* that the fix saves */
    double share;                 /* of all that is live, or allocated */
};

/* The functions of the standard library that copy what they enlarge. */
enum report_maker {
    REPORT_MAKER_OWN, /* the program itself */
#define MAKER(id, function, copies, fix) REPORT_MAKER_##id,
#include "memprof/report/advice/makers.def"
    REPORT_MAKER_OTHER,
    REPORT_MAKERS
};

/* The sampled blocks that a function made for one line, in the order of their births. */
struct report_run {
    uint32_t location;
    enum report_maker maker;
    const uint32_t *samples; /* their numbers */
    size_t count;
};

struct report_owners; /* a heap snapshot: owners.h */

struct report_advice {
    const struct report_query *query; /* of all births, folded; NULL: of a snapshot alone */
    double allocated, live, held;     /* words: of all; at the peak; of the snapshot */
    int64_t peak;
    uint32_t *appends; /* of each node: frames of List.append that it ends with */
    REPORT_VECTOR(struct report_finding) findings;
};

/* Whether AD2 allows a finding. */
bool report_is_advice(const struct report_advice *advice, enum report_saves saves, double words);
/* Adds a finding, whose texts it takes over, if AD2 allows it. */
void report_advice_add(struct report_advice *advice, struct report_finding finding);
/* The line of the user's own that a sample counts for; 0: it is not known (AD1). Needs: the query
 * selects it. */
uint32_t report_own_line(const struct report_query *query, const struct report_sample *s);
/* Block i of a run. */
struct report_sample report_run_sample(const struct report_advice *advice,
                                       const struct report_run *run, size_t i);
/* Blocks that are enlarged by copying: chains of doubled blocks, and accumulators. chains.c. */
void report_advise_doubling(struct report_advice *advice, const struct report_run *run);
void report_advise_copying(struct report_advice *advice, const struct report_run *run);
/* Boxed numbers that are kept; closures that die young. blocks.c. */
void report_advise_boxes(struct report_advice *advice, const struct report_run *run);
void report_advise_closures(struct report_advice *advice, const struct report_run *run);
/* Strings with the same text. Needs: a snapshot with contents. equal_strings.c. */
void report_advise_equal_strings(const struct report_owners *owners);
/* Arrays and tables most of whose elements are empty; whether there are any. sparse.c. */
bool report_advise_sparse(const struct report_owners *owners);
/* The size of the minor heap: what a larger one would promote. Adds a table. minor.c. */
void report_advise_minor_heap(struct report_advice *advice, struct report_doc *doc);

#endif
