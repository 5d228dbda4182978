/* model.h - a profile in memory: what every reader fills and every view looks at.
 *
 *   names      locations            nodes (a tree, parents first)      samples
 *   "list.ml"  file function 92:20  0 ---> 1 ---> 2                    born promoted died
 *                                     \--> 3                           words, hits, node
 *
 * A call stack is the number of its innermost node; node 0 is the empty stack. Times are
 * nanoseconds since the profile's start.
 *
 * PM1  A node's parent has a lower number than the node: one pass backwards sums subtrees.
 * PM2  Two nodes never have both the same parent and the same location.
 * PM3  A sample has at least one hit; what has not happened to it is at REPORT_NEVER.
 * PM4  Location 0, name 0 and node 0 exist: unknown, "" and the empty stack. */
#ifndef BACTRIAN_MEMPROF_REPORT_MODEL_MODEL_H
#define BACTRIAN_MEMPROF_REPORT_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_NEVER INT64_MAX

struct report_location {
    uint32_t file, function;  /* names */
    int32_t line, start, end; /* columns from 0; -1: unknown */
    int32_t reserved;
};

struct report_node {
    uint32_t parent, location, depth;
};

enum report_source { REPORT_MINOR, REPORT_MAJOR, REPORT_EXTERNAL };

struct report_sample {
    int64_t born, promoted, died;
    uint64_t wosize; /* words of the block, without its header */
    uint32_t hits;   /* how many of its words were sampled */
    uint32_t node;
    uint16_t domain;
    int16_t tag; /* of the block; -1: unknown */
    uint8_t source;
    bool young; /* born in the minor heap */
};

/* A pause is the whole time that the program stood still; parts lie within one. */
enum report_gc_kind { REPORT_GC_PAUSE, REPORT_GC_PART };

struct report_gc_event {
    int64_t start, duration;
    uint64_t words; /* promoted or worked through */
    uint32_t name;
    enum report_gc_kind kind;
};

struct report_phase {
    int64_t start, end; /* end: REPORT_NEVER while it is open */
    uint32_t name;
};

/* Exact words allocated until a time. */
struct report_counter {
    int64_t time;
    double minor_words, promoted_words, major_words; /* major: including promoted, as Gc.counters */
    double external_words, heap_words, live_words;
    double minor_collections, major_collections;
};

/* What was allocated at a location, sampled or not. */
struct report_site {
    double words, blocks; /* words: headers included */
};

/* What our own format says of a recording beyond what all views need. */
struct report_origin {
    bool own;        /* else it comes from a memtrace trace */
    char *arguments; /* each ended by a NUL; may be NULL */
    size_t argument_bytes;
    char *ocaml, *recorder; /* may be NULL */
    bool finished;
    unsigned how, status; /* enum mp_outcome, and its status */
    int64_t finished_at;
};

struct report_hash {
    uint32_t *slots; /* 1 + index, 0: free */
    size_t size, used;
};

struct report_model {
    char *format; /* "memtrace v2", "bactrian v1" */
    char *program, *host, *runtime_parameters, *context;
    double rate; /* of sampling, per word */
    int word_bytes;
    uint64_t pid;
    int64_t epoch_us; /* the start, microseconds since 1970 */
    int64_t end;      /* the last moment known */
    bool truncated;   /* the end of the file is missing */
    bool selected;    /* the samples are a selection, the counters tell of all */
    double all_hits;  /* then: of all that were recorded; 0: the counters say nothing of them */
    struct report_origin origin;
    char *outcome; /* how the program ended, in words; "": unknown */
    bool has_seed, gc_traced;
    uint64_t seed, max_depth, lost_samples;
    int64_t overhead; /* nanoseconds spent by the recorder; -1: unknown */
    uint64_t skipped; /* events that said nothing about this profile */
    int64_t *peak;    /* report_peak_time's answer, found once; -1: not asked for yet */
    char **names;
    struct report_location *locations;
    struct report_node *nodes;
    struct report_sample *samples;
    struct report_gc_event *gc_events;
    struct report_phase *phases;
    struct report_counter *counters;
    bool has_sites;            /* every site was counted exactly */
    struct report_site *sites; /* of each location below site_count */
    size_t site_count, site_capacity;
    size_t name_count, location_count, node_count, sample_count, gc_event_count, phase_count,
        counter_count;
    size_t name_capacity, location_capacity, node_capacity, sample_capacity, gc_event_capacity,
        phase_capacity, counter_capacity;
    struct report_hash name_hash, location_hash, node_hash;
};

/* An empty profile: rate 1, words of 8 bytes. Fails: as report_alloc, like all below. */
struct report_model *report_model_create(void);
/* Frees the profile and all that hangs off it; NULL is allowed. */
void report_model_free(struct report_model *model);

/* The number of a name; the same text has one number. */
uint32_t report_model_name(struct report_model *model, const char *text);
/* The number of a location; equal locations have one number. */
uint32_t report_model_location(struct report_model *model, const struct report_location *location);
/* The node for location called from node parent. Needs: both exist. */
uint32_t report_model_push(struct report_model *model, uint32_t parent, uint32_t location);
/* Adds a sample and returns its number. Needs: PM3. */
uint32_t report_model_sample(struct report_model *model, const struct report_sample *sample);
/* Adds a pause, a phase, a reading of the exact counters. */
void report_model_gc_event(struct report_model *model, const struct report_gc_event *event);
void report_model_phase(struct report_model *model, const struct report_phase *phase);
void report_model_counter(struct report_model *model, const struct report_counter *counter);
/* Adds to what is known exactly of a location. */
void report_model_site(struct report_model *model, uint32_t location,
                       const struct report_site *more);
/* Puts the samples in the order of their births and sets the end to the last event. Call it once,
 * when all is added. */
void report_model_finish(struct report_model *model);
/* Brings the call stacks down to about `most` nodes: those with the fewest hits are put together,
 * by their callers and by where they allocate. Totals stay. Needs: the profile is finished. */
void report_model_fold(struct report_model *model, size_t most);

/* Hits of all samples that were recorded, selected or not. */
double report_model_all_hits(const struct report_model *model);
/* The exact words that those stand for; 0 if the file doesn't say. */
double report_model_exact_words(const struct report_model *model);

#endif
