/* query.h - which samples a view looks at, and how it names and counts them: the selectors, which
 * mean the same in every verb.
 *
 * A window (--from, --to, --phase) applies to what is shown: to the births of allocated and live
 * blocks, to promotions of promoted ones, to deaths of dead ones; and to pauses. */
#ifndef BACTRIAN_MEMPROF_REPORT_QUERY_QUERY_H
#define BACTRIAN_MEMPROF_REPORT_QUERY_QUERY_H

#include "memprof/report/model/error.h"
#include "memprof/report/model/estimate.h"
#include "memprof/report/model/model.h"

enum report_show {
#define SHOW(id, name, sentence) REPORT_SHOW_##id,
#include "memprof/report/query/selectors.def"
    REPORT_SHOWS
};
enum report_by {
#define BY(id, name, title) REPORT_BY_##id,
#include "memprof/report/query/selectors.def"
    REPORT_BYS
};
enum report_unit {
#define UNIT(id, name) REPORT_UNIT_##id,
#include "memprof/report/query/selectors.def"
    REPORT_UNITS
};

/* A moment: NONE, PEAK and END have no value; SHARE is of the run's time, ALLOCATED of all words, 0
 * to 1; TIME in ns. Or an age: TIME, SHARE, or collections that were survived. */
struct report_moment {
    enum {
        REPORT_NO_MOMENT,
        REPORT_PEAK,
        REPORT_END,
        REPORT_TIME,
        REPORT_SHARE,
        REPORT_ALLOCATED,
        REPORT_MINORS,
        REPORT_MAJORS,
    } kind;
    double value;
};

/* The selectors as given. Texts belong to the command line. */
struct report_selection {
    bool has_show;
    enum report_show show;
    enum report_by by;
    enum report_unit unit;
    struct report_moment at, from, to, age_min, life_min, life_max, tail;
    const char *phase, *focus, *ignore, *hide, *keep;
    const char *scope; /* what titles say instead of focus, ignore, hide; NULL */
    const char *sort;  /* a column, with - in front: the other way; NULL: as the view has it */
    double size_min, size_max; /* words of the block, header included; 0: no limit */
    size_t top;                /* rows; 0: all */
    double threshold;          /* share of the total below which rows are left out, 0 to 1 */
    bool no_intervals, inverted;
};

/* A part of the run; `to` is excluded. */
struct report_span {
    int64_t from, to;
};

/* A selection that has been applied to a profile. */
struct report_query {
    const struct report_model *model;
    const struct report_selection *selection;
    struct report_scale scale;
    enum report_show show;
    int64_t at, from, to;      /* ns; at: of live blocks; to is excluded */
    int64_t born_before;       /* --tail */
    struct report_span *spans; /* the selected time, by --phase too: apart, in order */
    size_t span_count;
    int64_t age_min, life_min, life_max;
    uint8_t *node_flags; /* of each node */
    uint32_t phase;      /* its name; 0: any */
    char *window;        /* --from, --to, --phase in words: "from 1 s to 2 s"; "" without them */
    bool is_whole;       /* nothing but what is shown, and when, selects */
    bool skip_young;     /* leave out live blocks that no collection has tried yet */
    char *sentence;      /* what is shown, in words: "live at the peak (1.2 s)" */
};

enum { REPORT_NODE_OUT = 1, REPORT_NODE_HIDDEN = 2 }; /* node_flags */

/* Reads "1.5", "1.5s", "20ms", "3min", "40%", "40%alloc", "peak", "end", "2major" as a moment.
 * False: it is none, and *out means nothing. */
bool report_parse_moment(const char *text, struct report_moment *out);

/* Applies a selection. fallback: what is shown without --show and --at. Returns 0, or -1 and
 * *error. Both arguments must outlive the query; free it with report_query_end. */
int report_query_start(struct report_query *query, const struct report_model *model,
                       const struct report_selection *selection, enum report_show fallback,
                       struct report_error *error);
/* Frees what a query holds. */
void report_query_end(struct report_query *query);

/* For --keep: whether each location's function is in the set, freed with free(). Fails: NULL and
 * *error. */
uint8_t *report_keep_locations(const struct report_model *model, const char *expression,
                               struct report_error *error);

/* Whether a moment is in the selected time. */
bool report_query_holds(const struct report_query *query, int64_t time);
/* How much time is selected, up to the profile's end, in ns. */
int64_t report_query_length(const struct report_query *query);
/* Finds the selected time. Needs: model, from, to, phase. */
void report_query_find_spans(struct report_query *query);
/* The node that a sample counts for: its own, or the innermost caller that --hide leaves. */
uint32_t report_query_node(const struct report_query *query, const struct report_sample *sample);

/* Whether a sample is selected. */
bool report_query_selects(const struct report_query *query, const struct report_sample *sample);
/* The moment at which the most sampled words were live. */
int64_t report_peak_time(const struct report_model *model);
/* What gives an estimate in a unit. */
report_weigher *report_weigher_of(enum report_unit unit);
/* The estimate in the selection's unit. */
struct report_estimate report_query_estimate(const struct report_query *query,
                                             const struct report_sum *sum);

#endif
