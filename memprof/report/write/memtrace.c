/* memtrace.c - writes memtrace traces, version 2, which every memtrace reader accepts.
 *
 * Stacks are encoded with a cache that has one bucket for each code, and its predictions; any
 * reader decodes it. The packets keep all rules of ctf_rules.def.
 *
 *   info packet, then for each run of events:  location packets, event packet */
#include "gc/assert.h"
#include "memprof/report/model/events.h"
#include "memprof/report/write/write.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_PACKET = 32768,
    MAX_EVENT = 30000,
    MAX_STRING = 2000,
    BUCKETS = 1 << 14,
    MAX_SPAN_US = 30000000,
    MAX_FRAMES = 2800, /* of at most 10 bytes: they fit into a packet */
    TIME_BITS = 25,
};

struct writer {
    const struct report_model *model;
    FILE *out;
    struct report_buffer packet, event, words; /* words: codewords of the event's stack */
    uint64_t begin_us, end_us, id_begin, next_id;
    uint32_t *ids; /* of the samples */
    uint16_t next[BUCKETS];
    uint64_t code[BUCKETS];
    struct report_numbers frames, last; /* of this stack, of the one before */
    uint32_t last_node;
    uint8_t *sent;                 /* of each location */
    struct report_numbers pending; /* locations to send before the packet */
};

static void put_string(struct report_buffer *b, const char *text) {
    size_t n = strlen(text);
    report_put(b, text, n < MAX_STRING ? n : MAX_STRING);
    report_put_byte(b, 0);
}

static void put_vint(struct report_buffer *b, uint64_t n) {
    unsigned bytes = n < 253 ? 0 : n < 1 << 16 ? 2 : n < 1u << 31 ? 4 : 8;
    if (bytes == 0) report_put_byte(b, n);
    else report_put_byte(b, bytes == 2 ? 253 : bytes == 4 ? 254 : 255);
    report_put_le(b, n, bytes);
}

static void put_header(struct report_buffer *b, uint64_t time_us, unsigned kind) {
    report_put_le(b, (time_us & ((1u << TIME_BITS) - 1)) | (uint64_t)kind << TIME_BITS, 4);
}

static void write_packet(struct writer *w, const struct report_buffer *content, uint64_t begin_us,
                         uint64_t end_us, uint64_t id_begin, uint64_t id_end) {
    enum { HEADER = 66, NO_VERIFIER = 0xFFFF };
    ASSERT(HEADER + content->length <= MAX_PACKET && id_begin <= id_end);
    struct report_buffer b = {0};
    report_put_le(&b, 0xC1FC1FC1u, 4);
    report_put_le(&b, (HEADER + content->length) * 8, 4);
    report_put_le(&b, begin_us, 8);
    report_put_le(&b, end_us, 8);
    report_put_le(&b, 0, 4);
    report_put_le(&b, 2, 2);
    report_put_le(&b, w->model->pid, 8);
    report_put_le(&b, NO_VERIFIER, 2);
    report_put_le(&b, 0, 2);
    report_put_le(&b, 0, 8);
    report_put_le(&b, id_begin, 8);
    report_put_le(&b, id_end, 8);
    report_put(&b, content->data, content->length);
    fwrite(b.data, 1, b.length, w->out);
    free(b.data);
}

static void write_info(struct writer *w) {
    const struct report_model *m = w->model;
    struct report_buffer b = {0};
    uint64_t bits;
    memcpy(&bits, &m->rate, sizeof bits);
    put_header(&b, w->begin_us, 0);
    report_put_le(&b, bits, 8);
    report_put_byte(&b, m->word_bytes * 8);
    put_string(&b, m->program);
    put_string(&b, m->host);
    put_string(&b, m->runtime_parameters);
    report_put_le(&b, m->pid, 8);
    put_string(&b, m->context);
    write_packet(w, &b, w->begin_us, w->begin_us, 0, 0);
    free(b.data);
}

/* A field of a location: its largest value means unknown, or too large. */
static uint64_t clamp(int64_t n, unsigned bits) {
    int64_t most = (1 << bits) - 1;
    return n < 0 || n > most ? most : n;
}

static void put_location(struct report_buffer *b, const struct report_model *m, uint32_t number,
                         uint64_t time_us) {
    enum { LOCATION = 1, NEW_FILE = 31, NEW_NAME = 31 };
    const struct report_location *l = &m->locations.at[number];
    put_header(b, time_us, LOCATION);
    report_put_le(b, (uint64_t)number + 1, 8);
    report_put_byte(b, 1);
    report_put_le(b,
                  clamp(l->line, 20) | clamp(l->start, 8) << 20 | clamp(l->end, 10) << 28 |
                      (uint64_t)NEW_FILE << 38 | (uint64_t)NEW_NAME << 43,
                  6);
    put_string(b, m->names.at[l->file]);
    put_string(b, m->names.at[l->function]);
}

static void flush(struct writer *w) {
    struct report_buffer b = {0};
    for (size_t i = 0; i < w->pending.count; i++) {
        put_location(&b, w->model, w->pending.at[i], w->begin_us);
        if (b.length < MAX_PACKET - 3 * MAX_STRING && i + 1 < w->pending.count) continue;
        write_packet(w, &b, w->begin_us, w->begin_us, w->id_begin, w->id_begin);
        b.length = 0;
    }
    free(b.data);
    w->pending.count = 0;
    if (w->packet.length > 0)
        write_packet(w, &w->packet, w->begin_us, w->end_us, w->id_begin, w->next_id);
    w->packet.length = 0;
    w->id_begin = w->next_id;
}

/* Puts the codewords of the frames from number `from` on. Returns their number. */
static unsigned put_frames(struct writer *w, struct report_buffer *b, size_t from) {
    const uint32_t *frames = w->frames.at;
    size_t n = w->frames.count;
    unsigned pred = 0, words = 0;
    for (size_t i = from; i < n; words++) {
        uint64_t code = (uint64_t)frames[i] + 1;
        unsigned bucket = code * 0x9E3779B97F4A7C15u >> 50, followed = 0;
        w->next[pred] = bucket;
        pred = bucket;
        i++;
        if (w->code[bucket] != code) {
            report_put_le(b, bucket << 2 | 3, 2);
            report_put_le(b, code, 8);
            w->code[bucket] = code;
            continue;
        }
        while (i < n && followed < 255 && w->code[w->next[pred]] == (uint64_t)frames[i] + 1) {
            pred = w->next[pred];
            followed++;
            i++;
        }
        report_put_le(b, bucket << 2 | (followed < 2 ? followed : 2), 2);
        if (followed >= 2) report_put_byte(b, followed);
    }
    return words;
}

static void put_birth(struct writer *w, const struct report_sample *s, uint64_t time_us) {
    enum { ALLOC = 2, SHORT = 100, SHORT_WORDS = 16 };
    size_t shared = 0;
    w->words.length = 0;
    if (s->node != w->last_node) {
        struct report_numbers before = w->frames;
        w->frames = w->last;
        w->last = before;
        report_unwind(w->model, s->node, MAX_FRAMES, &w->frames);
        while (shared < w->frames.count && shared < w->last.count &&
               w->frames.at[shared] == w->last.at[shared])
            shared++;
        w->last_node = s->node;
    } else {
        shared = w->frames.count;
    }
    for (size_t i = shared; i < w->frames.count; i++) {
        if (w->sent[w->frames.at[i]]) continue;
        w->sent[w->frames.at[i]] = 1;
        report_append(&w->pending, w->frames.at[i]);
    }
    unsigned count = put_frames(w, &w->words, shared);
    if (s->wosize >= 1 && s->wosize <= SHORT_WORDS && s->hits == 1 && s->source == REPORT_MINOR &&
        count < 256) {
        put_header(&w->event, time_us, SHORT + s->wosize);
        put_vint(&w->event, shared);
        report_put_byte(&w->event, count);
    } else {
        put_header(&w->event, time_us, ALLOC);
        put_vint(&w->event, s->wosize);
        put_vint(&w->event, s->hits);
        report_put_byte(&w->event, s->source);
        put_vint(&w->event, shared);
        report_put_le(&w->event, count, 2);
    }
    report_put(&w->event, w->words.data, w->words.length);
}

static void write_event(struct writer *w, const struct report_event *e) {
    enum { PROMOTE = 3, COLLECT = 4 };
    uint64_t time_us = w->model->epoch_us + w->model->moments.at[e->moment] / 1000;
    w->event.length = 0;
    ASSERT(e->sample < w->model->samples.count &&
           (e->kind == REPORT_BIRTH || w->next_id > w->ids[e->sample]));
    if (e->kind == REPORT_BIRTH) {
        const struct report_sample sample = report_sample_of(w->model, e->sample);
        put_birth(w, &sample, time_us);
    } else {
        put_header(&w->event, time_us, e->kind == REPORT_PROMOTION ? PROMOTE : COLLECT);
        put_vint(&w->event, w->next_id - 1 - w->ids[e->sample]);
    }
    if (w->packet.length > 0 &&
        (w->packet.length + w->event.length > MAX_EVENT || time_us - w->begin_us > MAX_SPAN_US))
        flush(w);
    if (w->packet.length == 0) w->begin_us = time_us;
    w->end_us = time_us;
    report_put(&w->packet, w->event.data, w->event.length);
    if (e->kind == REPORT_BIRTH) w->ids[e->sample] = w->next_id++;
}

/* The format does not have suspended fibers. */
static bool is_wanted(const void *query, const struct report_sample *sample) {
    return sample->source != REPORT_FIBER && report_query_selects(query, sample);
}

int report_write_memtrace(const struct report_request *request, FILE *out) {
    const struct report_model *m = request->model;
    struct report_query query;
    if (report_request_query(request, &query) != 0) return -1;
    struct report_events events;
    struct report_event event;
    struct writer *w = report_alloc(sizeof *w);
    w->model = m;
    w->out = out;
    w->ids = report_alloc(m->samples.count * sizeof *w->ids);
    w->sent = report_alloc(m->locations.count);
    w->begin_us = m->epoch_us;
    write_info(w);
    report_events_start(&events, m, is_wanted, &query);
    while (report_events_next(&events, &event)) write_event(w, &event);
    report_events_end(&events);
    flush(w);
    report_free(w->ids, w->sent, w->packet.data, w->event.data, w->words.data, w->frames.at,
                w->last.at, w->pending.at, w);
    report_query_end(&query);
    return 0;
}
