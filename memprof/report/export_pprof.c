/* export_pprof.c - pprof's profile.proto, gzipped.
 *
 * A message is a run of fields: key = number << 3 | kind (0: varint, 2: length and bytes). Strings
 * stand in one table, whose first is empty; all other messages name them by index. */
#include "memprof/report/export.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { VALUES = 6, FIXED_NAMES = 32 };
/* Fields of Profile. */
enum {
    SAMPLE_TYPE = 1,
    SAMPLE,
    MAPPING,
    LOCATION,
    FUNCTION,
    STRING,
    TIME = 9,
    DURATION,
    PERIOD_TYPE,
    PERIOD,
    COMMENT,
    DEFAULT_TYPE
};
enum fate { MINOR_DEAD, PROMOTED, MAJOR, FATES };

struct strings {
    const char *fixed[FIXED_NAMES];
    size_t fixed_count;
};

static void put_varint(struct report_buffer *b, uint64_t n) {
    for (; n >= 128; n >>= 7) report_put_byte(b, (n & 127) | 128);
    report_put_byte(b, n);
}

static void put_field(struct report_buffer *b, unsigned field, uint64_t n) {
    put_varint(b, field << 3);
    put_varint(b, n);
}

static void put_bytes(struct report_buffer *b, unsigned field, const void *bytes, size_t n) {
    put_varint(b, field << 3 | 2);
    put_varint(b, n);
    report_put(b, bytes, n);
}

/* Puts a message and empties it. */
static void put_message(struct report_buffer *b, unsigned field, struct report_buffer *message) {
    put_bytes(b, field, message->data, message->length);
    message->length = 0;
}

/* The index of a text that is no name of the model. */
static uint64_t fixed(struct strings *s, const char *text) {
    for (size_t i = 0; i < s->fixed_count; i++)
        if (strcmp(s->fixed[i], text) == 0) return i;
    s->fixed[s->fixed_count] = text;
    return s->fixed_count++;
}

/* The index of a name of the model: they follow the fixed ones, whose number is bounded. */
static uint64_t name_index(uint32_t name) { return name == 0 ? 0 : FIXED_NAMES + name; }

static void put_type(struct report_buffer *b, unsigned field, struct strings *s, const char *type,
                     const char *unit) {
    struct report_buffer message = {0};
    put_field(&message, 1, fixed(s, type));
    put_field(&message, 2, fixed(s, unit));
    put_message(b, field, &message);
    free(message.data);
}

static void put_places(struct report_buffer *b, const struct report_model *m) {
    struct report_keys *functions = report_keys_create(m, REPORT_BY_FUNCTION);
    struct report_buffer message = {0}, line = {0};
    uint8_t *done = report_alloc(functions->count);
    put_field(&message, 1, 1);
    put_field(&message, 7, 1); /* names, files and lines are here: nothing to look up */
    put_field(&message, 8, 1);
    put_field(&message, 9, 1);
    put_message(b, MAPPING, &message);
    for (size_t i = 0; i < m->location_count; i++) {
        const struct report_location *l = &m->locations[i];
        uint32_t function = functions->of_location[i];
        put_field(&message, 1, i + 1);
        put_field(&message, 2, 1);
        put_field(&line, 1, function + 1);
        put_field(&line, 2, l->line > 0 ? l->line : 0);
        if (l->start >= 0) put_field(&line, 3, l->start + 1);
        put_message(&message, 4, &line);
        put_message(b, LOCATION, &message);
        if (done[function]) continue;
        done[function] = 1;
        put_field(&message, 1, function + 1);
        put_field(&message, 2, name_index(l->function));
        put_field(&message, 3, name_index(l->function));
        put_field(&message, 4, name_index(l->file));
        put_message(b, FUNCTION, &message);
    }
    free(done);
    free(message.data);
    free(line.data);
    report_keys_free(functions);
}

/* All samples of one stack with one fate. */
struct entry {
    struct report_sum all, live;
};

static void put_sample(struct report_buffer *b, const struct report_model *m, uint32_t node,
                       enum fate fate, const struct entry *e, const struct report_scale *scale,
                       struct strings *s) {
    static const char *const fates[] = {"minor-dead", "promoted", "major"};
    struct report_buffer message = {0}, packed = {0};
    const struct report_sum none = {0};
    for (uint32_t at = node; at != 0; at = m->nodes[at].parent)
        put_varint(&packed, m->nodes[at].location + 1);
    put_message(&message, 1, &packed);
    long long space = report_rounded(report_estimate_bytes(scale, &e->all));
    const struct report_sum *live = e->live.samples > 0 ? &e->live : &none;
    put_varint(&packed, e->all.samples);
    put_varint(&packed, report_rounded(report_estimate_blocks(scale, &e->all)));
    put_varint(&packed, space);
    put_varint(&packed, fate == PROMOTED ? space : 0);
    put_varint(&packed, report_rounded(report_estimate_blocks(scale, live)));
    put_varint(&packed, report_rounded(report_estimate_bytes(scale, live)));
    put_message(&message, 2, &packed);
    put_field(&packed, 1, fixed(s, "gen"));
    put_field(&packed, 2, fixed(s, fates[fate]));
    put_message(&message, 3, &packed);
    put_message(b, SAMPLE, &message);
    free(message.data);
    free(packed.data);
}

static void put_samples(struct report_buffer *b, const struct report_query *all,
                        const struct report_query *live, struct strings *s) {
    const struct report_model *m = all->model;
    struct entry *entries = report_alloc(m->node_count * FATES * sizeof *entries);
    for (size_t i = 0; i < m->sample_count; i++) {
        const struct report_sample *sample = &m->samples[i];
        enum fate fate = !sample->young                     ? MAJOR
                         : sample->promoted != REPORT_NEVER ? PROMOTED
                                                            : MINOR_DEAD;
        struct entry *e = &entries[sample->node * FATES + fate];
        if (!report_query_selects(all, sample)) continue;
        report_sum_add(&e->all, sample, m->rate);
        if (report_query_selects(live, sample)) report_sum_add(&e->live, sample, m->rate);
    }
    for (size_t i = 0; i < m->node_count * FATES; i++)
        if (entries[i].all.samples > 0)
            put_sample(b, m, i / FATES, i % FATES, &entries[i], &all->scale, s);
    free(entries);
}

static void put_strings(struct report_buffer *b, const struct report_model *m,
                        const struct strings *s) {
    for (size_t i = 0; i <= FIXED_NAMES; i++) {
        const char *text = i < s->fixed_count ? s->fixed[i] : "";
        put_bytes(b, STRING, text, strlen(text));
    }
    for (size_t i = 1; i < m->name_count; i++)
        put_bytes(b, STRING, m->names[i], strlen(m->names[i]));
}

static int write_gzip(const struct report_buffer *b, FILE *out, struct report_error *error) {
    enum { GZIP = 16 };
    unsigned char chunk[1 << 14];
    z_stream z = {0};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return report_fail(error, "", "try again with more memory", "zlib could not start");
    size_t at = 0;
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        if (z.avail_in == 0 && at < b->length) {
            z.next_in = b->data + at;
            z.avail_in = b->length - at < 1 << 30 ? b->length - at : 1 << 30;
            at += z.avail_in;
        }
        z.next_out = chunk;
        z.avail_out = sizeof chunk;
        status = deflate(&z, at == b->length ? Z_FINISH : Z_NO_FLUSH);
        fwrite(chunk, 1, sizeof chunk - z.avail_out, out);
    }
    deflateEnd(&z);
    return 0;
}

int report_export_pprof(const struct report_request *request, FILE *out,
                        struct report_error *error) {
    static const char *const types[VALUES][2] = {
        {"samples", "count"},        {"alloc_objects", "count"}, {"alloc_space", "bytes"},
        {"promoted_space", "bytes"}, {"inuse_objects", "count"}, {"inuse_space", "bytes"}};
    const struct report_model *m = request->model;
    struct report_selection births = request->selection, alive = request->selection;
    struct report_query all, live;
    struct report_buffer b = {0};
    struct strings s = {.fixed = {""}, .fixed_count = 1};
    births.has_show = alive.has_show = false;
    births.at.kind = REPORT_NO_MOMENT;
    if (alive.at.kind == REPORT_NO_MOMENT) alive.at.kind = REPORT_END;
    if (report_query_start(&all, m, &births, REPORT_SHOW_ALLOC, error) != 0) return -1;
    if (report_query_start(&live, m, &alive, REPORT_SHOW_LIVE, error) != 0) {
        report_query_end(&all);
        return -1;
    }
    for (size_t i = 0; i < VALUES; i++) put_type(&b, SAMPLE_TYPE, &s, types[i][0], types[i][1]);
    put_samples(&b, &all, &live, &s);
    put_places(&b, m);
    put_field(&b, TIME, m->epoch_us * 1000);
    put_field(&b, DURATION, m->end);
    put_type(&b, PERIOD_TYPE, &s, "space", "bytes");
    put_field(&b, PERIOD, m->word_bytes / m->rate);
    put_field(&b, DEFAULT_TYPE, fixed(&s, "inuse_space"));
    put_strings(&b, m, &s);
    report_query_end(&all);
    report_query_end(&live);
    int status = write_gzip(&b, out, error);
    free(b.data);
    return status;
}
