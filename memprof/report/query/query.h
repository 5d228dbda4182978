/* query.h - which samples a view looks at, and how it counts them: the selectors, which mean the
 * same in every verb. Suspended fibers are selected by REPORT_SHOW_LIVE only.
 *
 * A window (--from, --to, --phase) applies to the events that are shown: births of allocated and
 * live blocks, promotions of promoted ones, deaths of dead ones, and pauses.
 *
 *     born                          promoted         a marking began   ... and was over      died
 *     |--- in the minor heap ----------|------------------|------------------|-----------------|
 *     |<---- proven by the promotion ->|<- by the marking ->|
 *     |<------------------------------- not yet collected ------------------------------------>|
 *
 * A block is proven to be live at a moment if a collection that began later has kept it; what the
 * last marking kept counts as live from then on. The truth is between proven and not yet
 * collected. */
#ifndef BACTRIAN_MEMPROF_REPORT_QUERY_QUERY_H
#define BACTRIAN_MEMPROF_REPORT_QUERY_QUERY_H

#include "memprof/report/model/base.h"
#include "memprof/report/model/estimate.h"

enum report_show {
#define SHOW(id, name, sentence) REPORT_SHOW_##id,
#include "memprof/report/query/selectors.def"
    REPORT_SHOWS
};
enum report_live {
#define LIVE(id, name, sentence) REPORT_LIVE_##id,
#include "memprof/report/query/selectors.def"
    REPORT_LIVES
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

/* The arguments of --show, --by and --unit, in the order of their enums; NULL-terminated. */
extern const char *const report_show_words[],
    *const report_live_words[], *const report_by_words[], *const report_unit_words[];

/* A moment. NO_MOMENT, PEAK and END have no value; SHARE is of the run's time, ALLOCATED of all
 * words, 0 to 1; TIME in ns. As an age: TIME, SHARE, or a number of survived collections. */
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
    bool has_show, has_live;
    enum report_show show;
    enum report_live live;
    enum report_by by;
    enum report_unit unit;
    struct report_moment at, from, to, age_min, life_min, life_max, tail, interval;
    const char *phase, *focus, *ignore, *hide, *keep;
    const char *domain, *thread; /* numbers */
    const char *scope;           /* printed in titles instead of focus, ignore, hide; NULL */
    const char *sort;            /* a column, with - in front in reverse; NULL: the view's order */
    double size_min, size_max;   /* words of the block, header included; 0: no limit */
    size_t top;                  /* rows; 0: the view's number */
    double threshold;            /* share of the total below which rows are left out, 0 to 1 */
    bool no_intervals, inverted;
    bool raw; /* do not fold the standard library's frames */
};

/* A part of the run; `to` is excluded. */
struct report_span {
    int64_t from, to;
};

enum { REPORT_NODE_OUT = 1, REPORT_NODE_HIDDEN = 2 }; /* node_flags */

/* A selection that has been applied to a profile. */
struct report_query {
    const struct report_model *model;
    const struct report_selection *selection;
    struct report_scale scale;
    enum report_show show;
    enum report_live live;     /* uncollected if the profile has no markings */
    int64_t at, from, to;      /* ns; at: of live blocks; to is excluded */
    int64_t born_before;       /* --tail */
    struct report_span *spans; /* the selected time, disjoint and in order */
    size_t span_count;
    int64_t age_min, life_min, life_max;
    uint8_t *node_flags; /* of each node */
    uint32_t *shown;     /* of each node: report_query_node; NULL: itself */
    bool *threads_out;   /* of each thread: --domain or --thread leaves it out; NULL: none is */
    uint32_t phase;      /* its name; 0: any */
    char *window;        /* --from, --to, --phase: "from 1 s to 2 s"; "" without them */
    bool is_whole;       /* no selector but --show and --at was given */
    bool with_fibers;    /* select suspended fibers as if they had been allocated */
    bool folded;         /* report_query_fold_library was called */
    bool skip_young;     /* leave out live blocks that no collection has examined yet */
    char *sentence;      /* what is shown: "live at the peak (1.2 s)" */
};

/* Parses "1.5", "1.5s", "20ms", "3min", "40%", "40%alloc", "peak", "end", "2major". Returns whether
 * text is a moment; otherwise *out is undefined. */
bool report_parse_moment(const char *text, struct report_moment *out);
/* Sets --show, and --at to a moment without a value. */
void report_selection_show(struct report_selection *selection, enum report_show show, int at);

/* Applies a selection; without --show and --at, to what was allocated. model and selection must
 * outlive the query, which report_query_end frees. Returns 0, or -1 and *error. */
int report_query_start(struct report_query *query, const struct report_model *model,
                       const struct report_selection *selection, struct report_error *error);
/* Excludes the samples that --focus, --ignore and --keep leave out, and removes these selectors, so
 * that call stacks can be changed. Returns as report_query_start. */
int report_query_exclude(struct report_model *model, struct report_selection *selection,
                         struct report_error *error);
/* Makes each sample count for the innermost of the user's own frames, where there is one: frames of
 * the standard library, of Unix and without a name are folded into their callers. leave_out: also
 * leaves out what report_library_nodes lists. */
void report_query_fold_library(struct report_query *query, bool leave_out);
/* Whether a function or a module, the text's first word, is of the standard library or Unix. */
bool report_is_library_text(const char *text);
/* Whether a location is there, or without a name. */
bool report_is_library(const struct report_model *model, uint32_t location);
/* Of each node, whether all frames of its stack are the library's: what its initialisation
 * allocates, such as the standard channels, lives as long as the program. Freed with free(). */
bool *report_library_nodes(const struct report_model *model);
/* Frees the query's own memory. */
void report_query_end(struct report_query *query);

/* For --keep: whether each location's function is in the set; freed with free(). Fails: NULL and
 * *error. */
uint8_t *report_keep_locations(const struct report_model *model, const char *expression,
                               struct report_error *error);

/* Whether a moment is in the selected time. */
bool report_query_holds(const struct report_query *query, int64_t time);
/* The length of the selected time, up to the profile's end, in ns. */
int64_t report_query_length(const struct report_query *query);
/* The node that a sample counts for: its own, or the innermost caller that --hide leaves. */
uint32_t report_query_node(const struct report_query *query, const struct report_sample *sample);
/* The moment of the peak of what the query calls live. */
int64_t report_query_peak(const struct report_query *query);
/* What the query calls live: "proven live", "not yet collected". */
const char *report_live_text(const struct report_query *query);
/* The last moment at which a sample counts as live: before its birth if it never does, REPORT_NEVER
 * if it still does at the end. */
int64_t report_live_until(const struct report_query *query, const struct report_sample *sample);
/* Whether a sample is selected. */
bool report_query_selects(const struct report_query *query, const struct report_sample *sample);
/* Sets *sample to the first selected one from its number on; false: there is none. */
bool report_query_next(const struct report_query *query, struct report_sample *sample);
/* Runs a statement for each selected sample, to which `s` points. */
#define report_each_selected(s, query) \
    for (struct report_sample s[1] = {{0}}; report_query_next(query, s); s->number++)
/* The function that estimates in a unit. */
report_weigher *report_weigher_of(enum report_unit unit);
/* The estimate in the selection's unit. */
struct report_estimate report_query_estimate(const struct report_query *query,
                                             const struct report_sum *sum);

#endif
