/* thin.h - writes a recording again with fewer samples, for `prof record --keep`.
 *
 * Each hit of a sample is kept with a probability, and those that are kept stand for the others
 * (record WEIGHT): every estimate stays unbiased, and its interval can be computed. What is counted
 * exactly keeps its totals, with fewer readings. Of the events that are not about samples, those
 * that are long past are summed or left out.
 *
 * TH1  What is written is a recording that may be continued, with the numbers of struct
 *      mp_thin_end. */
#ifndef BACTRIAN_MEMPROF_RECORDER_THIN_H
#define BACTRIAN_MEMPROF_RECORDER_THIN_H

#include "gc/containers.h"
#include "memprof/format/format.h"
#include "memprof/format/writer.h"
#include "memprof/recorder/sample_set.h"

/* Hits get at least these weights, which are powers of two. */
struct mp_thinning {
    uint64_t dead, live; /* of samples that are dead in the recording, and of the others */
    uint64_t seed;
    uint64_t events; /* at most as many of each kind that is not about samples */
};

/* Events of each kind that is not about samples; pauses: also GC spans. */
struct mp_thin_counts {
    uint64_t counters, counts, residents, phases, pauses, ticks, markings;
};

/* A recording that is to be thinned. Starts as all zeroes. */
struct mp_thin_input {
    const uint8_t *bytes;
    size_t length;
    uint64_t samples, dead; /* samples, and those of them that are dead */
    struct mp_thin_counts counts;
    struct VECTOR(uint64_t) open; /* phases, by the order of their beginnings, outermost first */
    struct mp_sample_set dead_set;
};

/* How the new recording ends. */
struct mp_thin_end {
    uint32_t strings, locations, nodes, last_stack;
    uint64_t us; /* the time of the last record */
    struct mp_thread last_thread;
    struct mp_counters counters;
    enum mp_cause cause;
    struct mp_sample_set kept; /* old numbers; the new ones are their ranks */
};

/* Reads a recording that is not closed; bytes and length are set. False: it is damaged, or out of
 * memory. GC: never, for all functions here. */
bool mp_thin_survey(struct mp_thin_input *input);
/* Writes it; *end is all zeroes before. False: out of memory; failures of the file stay in the
 * writer. */
bool mp_thin_write(const struct mp_thin_input *input, const struct mp_thinning *thinning,
                   struct mp_writer *writer, struct mp_thin_end *end);
void mp_thin_input_free(struct mp_thin_input *input);

#endif
