/* stream.h - a file that is being written in Bactrian's own format: what its records depend on.
 *
 * Strings, locations and call stacks are those of a model, which may grow; each is defined in the
 * file when it is first used. */
#ifndef BACTRIAN_MEMPROF_REPORT_WRITE_STREAM_H
#define BACTRIAN_MEMPROF_REPORT_WRITE_STREAM_H

#include "memprof/format/reader.h"
#include "memprof/format/writer.h"
#include "memprof/report/model/model.h"

#include <stdio.h>

struct report_stream {
    const struct report_model *model;
    struct mp_writer *writer;
    uint64_t us; /* of the last record */
    struct report_written {
        struct report_numbers of; /* the file's numbers, by the model's; 0: not written yet */
        uint32_t count;
    } strings, locations, nodes;
    struct report_numbers chain; /* nodes of a stack that are not written yet, innermost first */
    struct report_numbers tags;  /* 1 + the tag that was written last, by locations of the model */
    uint64_t sample_count, weight;
    uint32_t last_node; /* of the file; likewise of samples and pauses */
    struct mp_thread last_thread;
    enum mp_cause cause;
};

/* Begins a file. Fails: -1 and *error, as report_stream_end. */
int report_stream_start(struct report_stream *stream, const struct report_model *model, FILE *out,
                        struct report_error *error);
/* Writes what is left, and frees what it holds. */
int report_stream_end(struct report_stream *stream, struct report_error *error);

/* Microseconds since the last record that has a time, until that time, which becomes the last. */
uint64_t report_stream_elapsed(struct report_stream *stream, uint64_t us);
/* The file's number of a name, of a location, of a node of the model. */
uint32_t report_stream_string(struct report_stream *stream, uint32_t name);
uint32_t report_stream_location(struct report_stream *stream, uint32_t location);
uint32_t report_stream_node(struct report_stream *stream, uint32_t node);

/* Writes a sample; its stack is a node of the model, its id is not read. */
void report_stream_sample(struct report_stream *stream, uint64_t us,
                          const struct mp_sample *sample);
/* Writes what led to the sample of that number. */
void report_stream_holder(struct report_stream *stream, uint64_t sample,
                          const struct report_holder *holder);
/* Writes promotions, or deaths in one generation, of at most MP_LIST_MAX samples. */
void report_stream_promoted(struct report_stream *stream, uint64_t us, struct mp_list samples);
void report_stream_died(struct report_stream *stream, uint64_t us, uint8_t generation,
                        struct mp_list samples);
/* Writes a pause; its `elapsed` is not read. */
void report_stream_pause(struct report_stream *stream, uint64_t us, struct mp_record_pause pause,
                         enum mp_cause cause);
/* Writes the exact counts of the model's sites. */
void report_stream_sites(struct report_stream *stream);
/* Writes that the samples are a selection, and of which hits. */
void report_stream_selection(struct report_stream *stream, double hits, double excess);

#endif
