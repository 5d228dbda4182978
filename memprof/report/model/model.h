/* model.h - a profile in memory: the loaders fill it, the views read it.
 *
 *   names      locations            nodes (a tree, parents first)      samples
 *   "list.ml"  file function 92:20  0 ---> 1 ---> 2                    3 moments, node
 *                                     \--> 3                           traits: words, hits
 *
 * A call stack is the number of its innermost node; node 0 is the empty stack. Times are
 * nanoseconds since the profile's start.
 *
 * PM1  A node's number is higher than its parent's, so one pass backwards sums subtrees.
 * PM2  No two nodes have both the same parent and the same location.
 * PM3  A sample has at least one hit, and a weight from 1 to the model's; an event that has not
 *      happened to it is at REPORT_NEVER.
 * PM4  Location 0, name 0, node 0, thread 0 and holder 0 exist: unknown, or "", or the empty stack.
 * PM5  Numbers of names, locations, nodes, threads, holders, moments, traits are below the counts
 *      of these.
 * PM6  Samples are in the order of their births; no event is later than the profile's end.
 * PM7  Markings are in order and do not overlap.
 * PM8  Moment 0 is REPORT_NEVER; the others are in order, each once. */
#ifndef BACTRIAN_MEMPROF_REPORT_MODEL_MODEL_H
#define BACTRIAN_MEMPROF_REPORT_MODEL_MODEL_H

#include "memprof/format/record.h"
#include "memprof/report/model/base.h"

#define REPORT_NEVER INT64_MAX

struct report_location {
    uint32_t file, function;  /* names */
    int32_t line, start, end; /* columns from 0; -1: unknown */
    int32_t reserved;         /* 0: locations are compared as bytes */
};

struct report_node {
    uint32_t parent, location, depth;
};

/* A suspended fiber is live, but was not allocated when it was suspended. */
enum report_source { REPORT_MINOR, REPORT_MAJOR, REPORT_EXTERNAL, REPORT_FIBER, REPORT_SOURCES };

struct report_sample {
    int64_t born, promoted, died;
    uint64_t wosize; /* words of the block, without its header if it has one */
    uint32_t hits; /* number of its words that were sampled, with those that were left out since */
    uint32_t weight; /* hits that each one stands for that was kept; 1: none was left out */
    uint32_t node, thread;
    uint32_t number; /* of the sample, in the order of births */
    uint32_t holder; /* of model.holders: what led to it when it was promoted; 0: unknown */
    int16_t tag;     /* of the block; -1: unknown */
    uint8_t source;
    bool young;    /* born in the minor heap */
    bool held;     /* it died in the generation MP_DIED_HELD */
    bool excluded; /* report_query_exclude: no query selects it */
};

/* What many samples have in common. */
struct report_traits {
    uint64_t wosize;
    uint32_t hits, weight, thread, holder;
    int16_t tag;
    uint8_t source;
    bool young, held;
    uint8_t reserved[3]; /* 0: traits are compared as bytes */
};

/* What led to a block when it was promoted. */
struct report_holder {
    uint64_t slot;
    uint32_t name, location;
    uint8_t kind; /* enum mp_root_kind, or MP_HELD_FIELD */
    bool through; /* other young blocks */
};

/* A profile has millions of samples, so they are stored small. */
struct report_stored_sample {
    uint32_t born, promoted, died; /* moments */
    uint32_t node;
    uint32_t traits : 31, excluded : 1;
};

/* A thread, or a domain as a whole: its number is then unknown. */
struct report_thread {
    struct mp_thread id;
    uint32_t domain; /* the thread that stands for its domain as a whole */
};

/* What a collector event is: an enum mp_gc_phase, a marking of the recorder's own, or the
 * collection that it makes after the program's end. */
enum { REPORT_GC_EXACT = MP_GC_PHASE_COUNT, REPORT_GC_LAST, REPORT_GC_KINDS };

struct report_gc_event {
    int64_t start, duration;
    int64_t processor; /* time of a processor in it; -1: unknown */
    uint64_t words;    /* as enum mp_gc_phase says */
    uint8_t kind;
    uint8_t cause; /* of a pause: enum mp_cause */
};

struct report_resident {
    int64_t time;
    double bytes; /* of the process's memory */
};

/* Ticks of CPU time (MP_TICK_NS) since those before: of the program, with its call stack, and
 * of the collector. */
struct report_ticks {
    int64_t time;
    uint32_t node;
    uint32_t running, collecting;
};

/* A marking: a block that was in the major heap when it began and is not dead when it is over was
 * reachable when it began. */
struct report_marking {
    int64_t began, over; /* over: the deaths that it found have happened */
    double words;        /* that it kept, exact */
};

struct report_phase {
    int64_t start, end; /* end: REPORT_NEVER while it is open */
    uint32_t name;
};

/* From then on that is the innermost phase; name 0: none is open. */
struct report_phase_change {
    int64_t time;
    uint32_t name;
};

/* The program has counted that much more of what the name says. */
struct report_count {
    int64_t time;
    uint32_t name;
    double more;
};

/* A reading of the exact counters. */
struct report_counter {
    int64_t time;
    double minor_words, promoted_words, major_words; /* major: including promoted, as Gc.counters */
    double external_words, minor_collections, major_collections; /* since the start, as those */
    double heap_words, live_words;                               /* at that time */
};

/* The exact totals of a location, sampled or not. */
struct report_site {
    double words, blocks; /* words: headers included */
};

/* Facts of a recording that only Bactrian's own format has. */
struct report_origin {
    bool own;        /* else the profile comes from a memtrace trace */
    char *arguments; /* each ended by a NUL; may be NULL */
    size_t argument_bytes;
    char *ocaml, *recorder; /* may be NULL */
    bool finished;
    unsigned how, status; /* enum mp_outcome, and its status */
    int64_t finished_at;
};

struct report_model {
    char *format; /* "memtrace v2", "bactrian v1" */
    char *program, *host, *runtime_parameters, *context;
    double rate; /* of sampling, per word */
    int word_bytes;
    uint64_t pid;
    int64_t epoch_us;                 /* the start, microseconds since 1970 */
    int64_t end;                      /* the last moment known */
    bool truncated;                   /* the end of the file is missing */
    uint32_t weight;                  /* the largest of all samples'; 1: none was thinned */
    struct mp_record_omitted omitted; /* what was left out, of what happened before `elapsed` us */
    bool selected;   /* the samples are a selection, the counters are of the whole run */
    double all_hits; /* if selected: of the whole run; 0: the counters say nothing of the samples */
    struct report_origin origin;
    char *snapshot;    /* the last heap snapshot that the run has written; NULL: none */
    char *outcome;     /* how the program ended; "": unknown */
    double all_excess; /* if selected: of all hits of the run, as in struct report_sum */
    bool has_seed, gc_traced;
    bool live_exact; /* the recorder had everything marked at new maxima */
    bool has_sites;  /* every site was counted exactly */
    uint64_t seed, max_depth, lost_samples;
    int64_t overhead; /* nanoseconds spent by the recorder; -1: unknown */
    int64_t overhead_processor,
        processor;       /* time of processors: its own, the process's; as above */
    uint64_t skipped;    /* events that were left out */
    int64_t *peak;       /* what report_peak_time returns; -1: not known yet */
    double before_words; /* reachable when it began; 0: with the program, or unknown */
    double most_words;   /* not yet collected at the peak, exact; 0: unknown */
    REPORT_VECTOR(char *) names;
    REPORT_VECTOR(struct report_location) locations;
    REPORT_VECTOR(struct report_node) nodes;
    REPORT_VECTOR(struct report_thread) threads;
    REPORT_VECTOR(struct report_holder) holders;
    REPORT_VECTOR(struct report_stored_sample) samples;
    REPORT_VECTOR(int64_t) moments;
    REPORT_VECTOR(struct report_traits) traits;
    REPORT_VECTOR(struct report_gc_event) gc_events;
    REPORT_VECTOR(struct report_resident) residents;
    REPORT_VECTOR(struct report_ticks) ticks;
    REPORT_VECTOR(struct report_marking) markings;
    REPORT_VECTOR(struct report_phase) phases;
    REPORT_VECTOR(struct report_phase_change) phase_changes; /* by report_model_finish, in order */
    REPORT_VECTOR(struct report_count) counts;
    REPORT_VECTOR(struct report_counter) counters;
    REPORT_VECTOR(struct report_site) sites; /* by location; those beyond are zero */
    struct report_hash name_hash, location_hash, node_hash, thread_hash, holder_hash, traits_hash;
    uint32_t recent_traits[256]; /* numbers found last, by the low bits of their hash */
};

/* An empty profile: rate 1, words of 8 bytes. Fails: as report_alloc, like all below. */
struct report_model *report_model_create(void);
/* Frees the profile; NULL is allowed. */
void report_model_free(struct report_model *model);

/* The number of a name, one for each text; of a text of more than 512 bytes only its beginning. */
uint32_t report_model_name(struct report_model *model, const char *text);
/* The number of a location, one for all that are equal. */
uint32_t report_model_location(struct report_model *model, const struct report_location *location);
/* The node of `location` called from node `parent`. Needs: both exist. Keeps: PM1, PM2. */
uint32_t report_model_push(struct report_model *model, uint32_t parent, uint32_t location);
/* The number of a thread, one for all that are equal. */
uint32_t report_model_thread(struct report_model *model, struct mp_thread id);
/* The number of a holder, one for all that are equal. */
uint32_t report_model_holder(struct report_model *model, const struct report_holder *holder);
/* Sets the holder of a sample that has none. Needs: both exist. */
void report_model_hold(struct report_model *model, uint32_t sample, uint32_t holder);
/* Says of a sample that it was promoted at a moment, so it was born in the minor heap. Needs: it
 * exists. */
void report_model_promote(struct report_model *model, uint32_t sample, uint32_t moment);
/* Says of a sample that it was still held when it died. Needs: it exists. */
void report_model_held(struct report_model *model, uint32_t sample);
/* The number of a moment; by report_model_finish moments are numbered again, in order. */
uint32_t report_model_moment(struct report_model *model, int64_t time);
/* Adds a sample; its number is ignored. */
void report_model_sample(struct report_model *model, const struct report_sample *sample);
/* The same, of moments of this profile; its traits are set. */
void report_model_store(struct report_model *model, struct report_stored_sample sample,
                        const struct report_traits *traits);
/* Adds to a location's exact totals. */
void report_model_site(struct report_model *model, uint32_t location,
                       const struct report_site *more);
/* Sorts moments and samples and sets the end (PM6, PM8). Call it once, when everything has been
 * added. */
void report_model_finish(struct report_model *model);
/* Frees the samples and call stacks of a profile, of which locations are still needed. */
void report_model_drop_samples(struct report_model *model);
/* Reduces the call stacks to about `most` nodes: those with the fewest hits are joined by their
 * callers and by where they allocate. Totals stay. Needs: the profile is finished. */
void report_model_fold(struct report_model *model, size_t most);

/* Shortens call stacks to `most` frames, or fewer, so that all of them together have about `total`;
 * once: samples with the same stack count once. Needs: the profile is finished; most >= 32. */
void report_model_shorten(struct report_model *model, size_t most, size_t total, bool once);

/* The sample of a number. Needs: it exists. */
static inline struct report_sample report_sample_of(const struct report_model *model,
                                                    size_t number) {
    const struct report_stored_sample *stored = &model->samples.at[number];
    const struct report_traits *traits = &model->traits.at[stored->traits];
    const int64_t *moments = model->moments.at;
    return (struct report_sample){moments[stored->born], moments[stored->promoted],
                                  moments[stored->died], traits->wosize,
                                  traits->hits,          traits->weight,
                                  stored->node,          traits->thread,
                                  (uint32_t)number,      traits->holder,
                                  traits->tag,           traits->source,
                                  traits->young,         traits->held,
                                  stored->excluded};
}
/* Sets *sample to that of its number; false: there is none. */
static inline bool report_load_sample(const struct report_model *model,
                                      struct report_sample *sample) {
    if (sample->number >= model->samples.count) return false;
    *sample = report_sample_of(model, sample->number);
    return true;
}
/* Runs a statement for each sample, to which `s` points. */
#define report_each_sample(s, model) \
    for (struct report_sample s[1] = {{0}}; report_load_sample(model, s); s->number++)
/* The first moment that is not before a time; the count of moments if there is none. */
uint32_t report_moment_from(const struct report_model *model, int64_t time);

/* Adds `factor` times what `more` counted since the start; the other fields stay. */
void report_counter_add(struct report_counter *to, const struct report_counter *more,
                        double factor);
/* Adds what was left out of an earlier part of a recording, before that moment. */
void report_omitted_add(struct mp_record_omitted *to, const struct mp_record_omitted *more,
                        uint64_t until_us);
/* Hits of all allocated words of the run, selected or not. */
double report_model_all_hits(const struct report_model *model);
/* Their excess, as in struct report_sum. */
double report_model_all_excess(const struct report_model *model);
/* Words of a sampled block that were trials. */
double report_sample_words(const struct report_sample *sample);
/* The exact number of words allocated in the run; 0 if the file does not have it. */
double report_model_exact_words(const struct report_model *model);
/* The moment at which the most memory was not yet collected: by the recorder's exact counts or, if
 * the profile lacks them, by its samples. */
int64_t report_peak_time(const struct report_model *model);
/* The moment at which the most memory was proven to be live: the beginning of a marking. Needs:
 * there is one. */
int64_t report_proven_peak_time(const struct report_model *model);
/* The locations of a stack's frames, outermost first; of a stack with more than `most` frames the
 * outermost third and the innermost rest. */
void report_unwind(const struct report_model *model, uint32_t node, size_t most,
                   struct report_numbers *frames);

#endif
