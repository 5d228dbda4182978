/* pprof.c - pprof's profile.proto, gzipped.
 *
 * A protobuf message is a sequence of fields: key = number << 3 | kind (0: varint, 2: length and
 * bytes). Strings are in one table, whose first is empty; messages refer to them by index. */
#include "gc/assert.h"
#include "memprof/report/export/export.h"
#include "memprof/report/model/text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { VALUES = 6, FIXED_NAMES = 32, TAGS = 257 /* the first: unknown */ };
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

/* The string table: fixed texts, names of the model, its threads and domains, texts of tags. */
struct strings {
    const char *fixed[FIXED_NAMES];
    size_t fixed_count, name_count;
    size_t thread_count;      /* of the model; 0: all samples are of one thread */
    int tags[TAGS];           /* in the order of their first use */
    unsigned tag_index[TAGS]; /* in tags, plus 1; 0: not used */
    size_t tag_count;
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

/* Appends a message as a field, then empties it. */
static void put_message(struct report_buffer *b, unsigned field, struct report_buffer *message) {
    put_bytes(b, field, message->data, message->length);
    message->length = 0;
}

/* The index of a fixed text. */
static uint64_t fixed(struct strings *s, const char *text) {
    for (size_t i = 0; i < s->fixed_count; i++)
        if (strcmp(s->fixed[i], text) == 0) return i;
    ASSERT(s->fixed_count < FIXED_NAMES);
    s->fixed[s->fixed_count] = text;
    return s->fixed_count++;
}

/* The index of a name of the model: names follow FIXED_NAMES fixed texts. */
static uint64_t name_index(uint32_t name) { return name == 0 ? 0 : FIXED_NAMES + name; }

/* The index of the text of a tag; tag: the sample's plus 1. */
static uint64_t tag_text(struct strings *s, unsigned tag) {
    ASSERT(tag < TAGS);
    if (s->tag_index[tag] == 0) {
        s->tags[s->tag_count] = (int)tag - 1;
        s->tag_index[tag] = ++s->tag_count;
    }
    return FIXED_NAMES + s->name_count + 2 * s->thread_count + s->tag_index[tag] - 1;
}

/* The index of the text of a thread of the model, and of a domain. */
static uint64_t thread_text(const struct strings *s, uint32_t thread) {
    ASSERT(thread < s->thread_count);
    return FIXED_NAMES + s->name_count + thread;
}
static uint64_t domain_text(const struct strings *s, uint32_t domain) {
    return s->thread_count + thread_text(s, domain);
}

/* A type and its unit, or a label's key and text. */
static void put_pair(struct report_buffer *b, unsigned field, uint64_t first, uint64_t second) {
    struct report_buffer message = {0};
    put_field(&message, 1, first);
    put_field(&message, 2, second);
    put_message(b, field, &message);
    free(message.data);
}

static void put_locations(struct report_buffer *b, const struct report_model *m) {
    struct report_keys *functions = report_keys_create(m, REPORT_BY_FUNCTION);
    struct report_buffer message = {0}, line = {0};
    uint8_t *done = report_alloc(functions->count);
    put_field(&message, 1, 1);
    put_field(&message, 7, 1); /* has names, files and lines: nothing to look up */
    put_field(&message, 8, 1);
    put_field(&message, 9, 1);
    put_message(b, MAPPING, &message);
    for (size_t i = 0; i < m->locations.count; i++) {
        const struct report_location *l = &m->locations.at[i];
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
    report_free(done, message.data, line.data);
    report_keys_free(functions);
}

/* Labels of a pprof sample, which sums all recorded samples with the same stack and labels. */
struct labels {
    uint32_t node, phase, thread; /* phase: a name, 0: none */
    enum fate fate;
    unsigned tag; /* plus 1 */
};

struct entry {
    struct labels labels;
    uint32_t rank; /* of the node */
    struct report_sum all, live;
};

struct entries {
    struct entry *at;
    size_t count, capacity;
    struct report_hash hash;
};

struct columns {
    struct report_rounder blocks, space, promoted, live_blocks, live_space;
};

static void put_label(struct report_buffer *message, struct strings *s, const char *key,
                      uint64_t text) {
    put_pair(message, 3, fixed(s, key), text);
}

static void put_sample(struct report_buffer *b, const struct report_query *query,
                       const struct entry *entry, struct columns *c, struct strings *s) {
    static const char *const fates[] = {"minor-dead", "promoted", "major"};
    const struct report_model *m = query->model;
    const struct report_scale *scale = &query->scale;
    const struct labels *labels = &entry->labels;
    const struct report_sum *all = &entry->all, *live = &entry->live;
    struct report_buffer message = {0}, packed = {0};
    for (uint32_t at = labels->node; at != 0; at = m->nodes.at[at].parent)
        put_varint(&packed, m->nodes.at[at].location + 1);
    put_message(&message, 1, &packed);
    const struct report_sum none = {0};
    const struct report_sum *promoted = labels->fate == PROMOTED ? all : &none;
    put_varint(&packed, all->samples);
    put_varint(&packed, report_round(&c->blocks, report_estimate_blocks, scale, all));
    put_varint(&packed, report_round(&c->space, report_estimate_bytes, scale, all));
    put_varint(&packed, report_round(&c->promoted, report_estimate_bytes, scale, promoted));
    put_varint(&packed, report_round(&c->live_blocks, report_estimate_blocks, scale, live));
    put_varint(&packed, report_round(&c->live_space, report_estimate_bytes, scale, live));
    put_message(&message, 2, &packed);
    put_label(&message, s, "gen", fixed(s, fates[labels->fate]));
    if (labels->tag > 0) put_label(&message, s, "tag", tag_text(s, labels->tag));
    if (labels->phase > 0) put_label(&message, s, "phase", name_index(labels->phase));
    if (s->thread_count > 0) {
        uint32_t domain = m->threads.at[labels->thread].domain;
        put_label(&message, s, "thread", thread_text(s, labels->thread));
        put_label(&message, s, "domain", domain_text(s, domain));
    }
    put_message(b, SAMPLE, &message);
    report_free(message.data, packed.data);
}

REPORT_COMPARE(by_labels, struct entry,
report_order(x->rank, y->rank) ?: report_order(x->labels.fate, y->labels.fate) ?:
           report_order(x->labels.tag, y->labels.tag) ?:
           report_order(x->labels.phase, y->labels.phase) ?:
           report_order(x->labels.thread, y->labels.thread))

static struct labels labels_of(const struct report_model *m, const struct report_sample *s) {
    return (struct labels){
        .node = s->node,
        .phase = report_attribute_of(m, REPORT_BY_PHASE, s),
        .thread = s->thread,
        .fate = !s->young                     ? MAJOR
                : s->promoted != REPORT_NEVER ? PROMOTED
                                              : MINOR_DEAD,
        .tag = s->tag + 1,
    };
}

static bool has_labels(const void *owner, uint32_t number, const void *key) {
    const struct labels *a = &((const struct entries *)owner)->at[number].labels, *b = key;
    return a->node == b->node && a->phase == b->phase && a->thread == b->thread &&
           a->fate == b->fate && a->tag == b->tag;
}

static struct entry *entry_of(struct entries *entries, const struct labels *labels) {
    uint64_t hash = report_hash_number((uint64_t)labels->node << 32 | labels->phase) +
                    report_hash_number((uint64_t)labels->thread << 32 | labels->tag << 2 |
                                       labels->fate);
    uint32_t found = report_hash_find(&entries->hash, hash, has_labels, entries, labels);
    if (found != REPORT_NO_NUMBER) return &entries->at[found];
    report_append(entries, (struct entry){.labels = *labels});
    report_hash_add(&entries->hash, hash, entries->count - 1);
    return &entries->at[entries->count - 1];
}

/* The samples that either query selects, summed by stack and labels. */
static void put_samples(struct report_buffer *b, const struct report_query *all,
                        const struct report_query *live, struct strings *s) {
    const struct report_model *m = all->model;
    struct columns columns = {0};
    struct entries entries = {0};
    report_each_sample(sample, m) {
        bool is_selected = report_query_selects(all, sample);
        bool is_live = report_query_selects(live, sample);
        if (!is_selected && !is_live) continue;
        const struct labels labels = labels_of(m, sample);
        struct entry *entry = entry_of(&entries, &labels);
        if (is_selected) report_sum_add(&entry->all, sample, m->rate);
        if (is_live) report_sum_add(&entry->live, sample, m->rate);
    }
    uint32_t *order = report_nodes_by_site(m);
    uint32_t *rank = report_alloc(m->nodes.count * sizeof *rank);
    for (size_t i = 0; i < m->nodes.count; i++) rank[order[i]] = i;
    report_each(entry, &entries) entry->rank = rank[entry->labels.node];
    report_sort(&entries, by_labels);
    report_each(entry, &entries) put_sample(b, all, entry, &columns, s);
    report_free(order, rank, entries.at, entries.hash.slots);
}

/* The model's threads if samples differ in them; otherwise 0. */
static size_t count_threads(const struct report_model *m) {
    report_each(traits, &m->traits)
        if (traits->thread != m->traits.at[0].thread) return m->threads.count;
    return 0;
}

static void put_strings(struct report_buffer *b, const struct report_model *m,
                        const struct strings *s) {
    for (size_t i = 0; i <= FIXED_NAMES; i++) {
        const char *text = i < s->fixed_count ? s->fixed[i] : "";
        put_bytes(b, STRING, text, strlen(text));
    }
    for (size_t i = 1; i < m->names.count; i++)
        put_bytes(b, STRING, m->names.at[i], strlen(m->names.at[i]));
    for (size_t i = 0; i < 2 * s->thread_count; i++) {
        struct mp_thread id = m->threads.at[i % s->thread_count].id;
        char *text = i < s->thread_count ? report_thread_text(id) : report_domain_text(id);
        put_bytes(b, STRING, text, strlen(text));
        free(text);
    }
    for (size_t i = 0; i < s->tag_count; i++) {
        char *text = report_tag_text(s->tags[i]);
        put_bytes(b, STRING, text, strlen(text));
        free(text);
    }
}

static int write_gzip(const struct report_buffer *b, FILE *out, struct report_error *error) {
    enum { GZIP = 16 };
    unsigned char chunk[1 << 14];
    z_stream z = {0};
    /* The comment shows that Bactrian wrote the file (formats.def). */
    gz_header header = {.os = 3, .comment = (Bytef *)"bactrian profile"};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return report_fail(error, "", "try again with more memory", "zlib could not start");
    deflateSetHeader(&z, &header);
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

int report_write_pprof(const struct report_request *request, bool all_live, FILE *out) {
    static const char *const types[VALUES][2] = {
        {"samples", "count"},        {"alloc_objects", "count"}, {"alloc_space", "bytes"},
        {"promoted_space", "bytes"}, {"inuse_objects", "count"}, {"inuse_space", "bytes"}};
    const struct report_model *m = request->model;
    struct report_selection births = request->selection, alive = request->selection;
    struct report_query all, live;
    struct report_buffer b = {0};
    struct strings s = {.fixed = {""},
                        .fixed_count = 1,
                        .name_count = m->names.count,
                        .thread_count = count_threads(m)};
    births.has_show = alive.has_show = false;
    births.at.kind = REPORT_NO_MOMENT;
    if (alive.at.kind == REPORT_NO_MOMENT) alive.at.kind = REPORT_END;
    if (all_live) {
        alive.at = alive.to;
        alive.from.kind = alive.to.kind = REPORT_NO_MOMENT;
    }
    if (report_query_start(&all, m, &births, request->error) != 0) return -1;
    if (report_query_start(&live, m, &alive, request->error) != 0) {
        report_query_end(&all);
        return -1;
    }
    for (size_t i = 0; i < VALUES; i++) {
        uint64_t type = fixed(&s, types[i][0]);
        put_pair(&b, SAMPLE_TYPE, type, fixed(&s, types[i][1]));
    }
    put_samples(&b, &all, &live, &s);
    put_locations(&b, m);
    put_field(&b, TIME, m->epoch_us * 1000 + all.from);
    put_field(&b, DURATION, (all.to < m->end ? all.to : m->end) - all.from);
    put_pair(&b, PERIOD_TYPE, fixed(&s, "space"), fixed(&s, "bytes"));
    put_field(&b, PERIOD, m->word_bytes / m->rate);
    put_field(&b, DEFAULT_TYPE, fixed(&s, "inuse_space"));
    put_strings(&b, m, &s);
    report_query_end(&all);
    report_query_end(&live);
    int status = write_gzip(&b, out, request->error);
    free(b.data);
    return status;
}

int report_export_pprof(const struct report_request *request, FILE *out) {
    return report_write_pprof(request, false, out);
}
