/* stream.c - see stream.h. */
#include "memprof/report/write/stream.h"

#include "gc/assert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int refuse_output(struct report_error *error, int problem) {
    return report_fail(error, "", "check the folder, its permissions and the space left", "%s",
                       strerror(problem));
}

int report_stream_start(struct report_stream *stream, const struct report_model *model, FILE *out,
                        struct report_error *error) {
    fflush(out);
    *stream = (struct report_stream){.model = model, .weight = 1};
    stream->writer = mp_writer_create(fileno(out));
    return stream->writer != NULL ? 0 : refuse_output(error, errno);
}

int report_stream_end(struct report_stream *s, struct report_error *error) {
    mp_writer_flush(s->writer);
    const int problem = mp_writer_problem(s->writer);
    mp_writer_free(s->writer);
    report_free(s->strings.of.at, s->locations.of.at, s->nodes.of.at, s->chain.at, s->tags.at);
    return problem == 0 ? 0 : refuse_output(error, problem);
}

uint64_t report_stream_elapsed(struct report_stream *s, uint64_t us) {
    ASSERT(us >= s->us);
    uint64_t since = us - s->us;
    s->us = us;
    return since;
}

/* ---- Names. ---- */

/* The item of that index; the table is widened with zeroes. */
static inline uint32_t *item_of(struct report_numbers *numbers, uint32_t index) {
    if (__builtin_expect(index >= numbers->count, 0)) {
        report_reserve(numbers, (size_t)index + 1);
        memset(numbers->at + numbers->count, 0,
               (numbers->capacity - numbers->count) * sizeof *numbers->at);
        numbers->count = numbers->capacity;
    }
    return &numbers->at[index];
}

uint32_t report_stream_string(struct report_stream *s, uint32_t name) {
    if (name == 0) return 0;
    uint32_t *number = item_of(&s->strings.of, name);
    if (*number == 0) {
        const struct mp_record_string record = {mp_text_of(s->model->names.at[name])};
        mp_write_string(s->writer, &record);
        *number = ++s->strings.count;
    }
    return *number;
}

static uint64_t not_negative(int32_t n) { return n < 0 ? 0 : (uint64_t)n; }

uint32_t report_stream_location(struct report_stream *s, uint32_t location) {
    uint32_t *number = item_of(&s->locations.of, location);
    if (*number == 0) {
        const struct report_location *l = &s->model->locations.at[location];
        const struct mp_record_location record = {
            .code = location,
            .file = report_stream_string(s, l->file),
            .definition = report_stream_string(s, l->function),
            .line = not_negative(l->line),
            .start = not_negative(l->start),
            .end = not_negative(l->end),
        };
        mp_write_location(s->writer, &record);
        *number = ++s->locations.count;
    }
    return *number;
}

uint32_t report_stream_node(struct report_stream *s, uint32_t node) {
    const struct report_node *nodes = s->model->nodes.at;
    if (node == 0) return 0;
    uint32_t *number = item_of(&s->nodes.of, node);
    s->chain.count = 0;
    for (uint32_t at = node; at != 0 && s->nodes.of.at[at] == 0; at = nodes[at].parent)
        report_append(&s->chain, at);
    while (s->chain.count > 0) {
        const uint32_t parent = nodes[s->chain.at[s->chain.count - 1]].parent;
        uint64_t items[256], caller = s->nodes.of.at[parent];
        struct mp_record_stack record = {s->nodes.count + 1 - caller, {.items = items}};
        while (s->chain.count > 0 && record.locations.count < 256) {
            uint32_t at = s->chain.at[--s->chain.count];
            items[record.locations.count++] = report_stream_location(s, nodes[at].location);
            s->nodes.of.at[at] = ++s->nodes.count;
        }
        mp_write_stack(s->writer, &record);
    }
    return *number;
}

/* ---- Samples. ---- */

static void write_tag(struct report_stream *s, uint32_t location, int tag) {
    uint32_t *last = item_of(&s->tags, location);
    if (*last == (uint32_t)tag + 1) return;
    const struct mp_record_block_tag record = {report_stream_location(s, location), (uint8_t)tag};
    mp_write_block_tag(s->writer, &record);
    *last = (uint32_t)tag + 1;
}

void report_stream_sample(struct report_stream *s, uint64_t us, const struct mp_sample *sample) {
    const uint32_t node = report_stream_node(s, sample->stack);
    if (node != 0 && sample->tag >= 0)
        write_tag(s, s->model->nodes.at[sample->stack].location, sample->tag);
    const struct mp_record_thread thread = {sample->thread.domain, sample->thread.number};
    if (thread.domain != s->last_thread.domain || thread.number != s->last_thread.number)
        mp_write_thread(s->writer, &thread);
    s->last_thread = sample->thread;
    const struct mp_record_weight weight = {sample->weight};
    if (weight.hits != s->weight) mp_write_weight(s->writer, &weight);
    s->weight = weight.hits;
    const struct mp_record_sample record = {
        .elapsed = report_stream_elapsed(s, us),
        .kind = (uint8_t)(sample->source | (sample->young ? MP_SAMPLE_YOUNG : 0)),
        .words = sample->words,
        .more = sample->samples - 1,
        .stack = (int64_t)node - (int64_t)s->last_node};
    mp_write_any_sample(s->writer, &record);
    s->last_node = node;
    s->sample_count++;
}

void report_stream_holder(struct report_stream *s, uint64_t sample,
                          const struct report_holder *holder) {
    const struct mp_record_held record = {
        .kind = holder->kind,
        .through = holder->through,
        .name = report_stream_string(s, holder->name),
        .place = holder->location == 0 ? 0 : report_stream_location(s, holder->location),
        .slot = holder->slot,
        .samples = {.items = &sample, .count = 1}};
    ASSERT(sample < s->sample_count);
    mp_write_held(s->writer, &record);
}

void report_stream_promoted(struct report_stream *s, uint64_t us, struct mp_list samples) {
    const struct mp_record_promotions record = {report_stream_elapsed(s, us), samples};
    ASSERT(samples.count > 0 && samples.count <= MP_LIST_MAX);
    mp_write_promotions(s->writer, &record);
}

void report_stream_died(struct report_stream *s, uint64_t us, uint8_t generation,
                        struct mp_list samples) {
    const struct mp_record_deaths record = {report_stream_elapsed(s, us), generation, samples};
    ASSERT(samples.count > 0 && samples.count <= MP_LIST_MAX);
    mp_write_deaths(s->writer, &record);
}

/* ---- Other records. ---- */

void report_stream_pause(struct report_stream *s, uint64_t us, struct mp_record_pause pause,
                         enum mp_cause cause) {
    const struct mp_record_cause record = {(uint8_t)cause};
    pause.elapsed = report_stream_elapsed(s, us);
    if (cause != s->cause) mp_write_cause(s->writer, &record);
    s->cause = cause;
    mp_write_pause(s->writer, &pause);
}

void report_stream_sites(struct report_stream *s) {
    for (uint32_t i = 0; i < s->model->sites.count; i++) {
        const struct report_site *site = &s->model->sites.at[i];
        if (site->blocks == 0) continue;
        const struct mp_record_site record = {i == 0 ? 0 : report_stream_location(s, i),
                                              (uint64_t)site->words, (uint64_t)site->blocks};
        mp_write_site(s->writer, &record);
    }
}

void report_stream_selection(struct report_stream *s, double hits, double excess) {
    const struct mp_record_selection selection = {(uint64_t)hits};
    const struct mp_record_excess more = {(uint64_t)excess};
    mp_write_selection(s->writer, &selection);
    if (more.hits > 0) mp_write_excess(s->writer, &more);
}
