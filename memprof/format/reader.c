/* reader.c - see reader.h. Input, chunks and events. Records are decoded by functions made from
 * record.def; reader_tables.c has the tables that events refer to. */
#include "memprof/format/reader_internal.h"

#include "gc/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { STORED_MAX = MP_CHUNK_MAX_BYTES + MP_CHUNK_MAX_BYTES / 128 + 1024 };

const char *mp_read_status_text(enum mp_read_status status) {
    switch (status) {
    case MP_READ_WHOLE: return "complete";
    case MP_READ_UNCLOSED:
        return "not closed by its recorder: the program was killed, or still runs";
    case MP_READ_CUT: return "cut off within a chunk";
    case MP_READ_DAMAGED: return "damaged";
    case MP_READ_FOREIGN: return "not a profile of bactrian's format";
    case MP_READ_EXPANDS: return "expands to too much for its size";
    case MP_READ_NEWER: return "of a newer version of the format";
    default: return "out of memory";
    }
}

void mp_reader_stop(struct mp_reader *r, enum mp_read_status status, const char *format, ...) {
    if (r->over) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->coverage.detail, sizeof r->coverage.detail, format, arguments);
    va_end(arguments);
    r->coverage.status = status;
    r->over = true;
}

/* ---- Input. ---- */

/* Takes n bytes, or as many as there are. */
static const uint8_t *take_input(struct mp_reader *r, size_t n, size_t *got) {
    const uint8_t *at = r->bytes + (r->position - r->from);
    *got = n < r->length - r->position ? n : r->length - r->position;
    r->position += *got;
    return at;
}

static uint32_t u32_at(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t checksum(const uint8_t *bytes, size_t n) {
    return (uint32_t)crc32(0, bytes, (uInt)n);
}

/* ---- Chunks. ---- */

static bool refuse_chunk(struct mp_reader *r, enum mp_read_status status, const char *what) {
    mp_reader_stop(r, status, "chunk %llu, at byte %llu: %s",
                   (unsigned long long)r->coverage.chunks,
                   (unsigned long long)r->coverage.read_bytes, what);
    r->coverage.ignored_bytes = r->length - r->coverage.read_bytes;
    return false;
}

static bool header_fits(const struct mp_reader *r, const uint8_t *head) {
    return memcmp(head, MP_CHUNK_MAGIC, 3) == 0 &&
           u32_at(head + MP_CHUNK_HEADER_CRC) == checksum(head, MP_CHUNK_HEADER_CRC) &&
           u32_at(head + MP_CHUNK_SEQUENCE) == (uint32_t)r->coverage.chunks &&
           u32_at(head + MP_CHUNK_STORED) <= STORED_MAX &&
           u32_at(head + MP_CHUNK_BYTES) <= MP_CHUNK_MAX_BYTES &&
           head[MP_CHUNK_ENCODING] <= MP_ENCODING_ZSTD;
}

static bool decompress_chunk(struct mp_reader *r, const uint8_t *head, const uint8_t *from) {
    size_t stored = u32_at(head + MP_CHUNK_STORED), n = u32_at(head + MP_CHUNK_BYTES);
    if (head[MP_CHUNK_ENCODING] == MP_ENCODING_NONE) {
        if (stored != n) return false;
        memcpy(r->records, from, n);
    } else if (ZSTD_decompressDCtx(r->decompressor, r->records, n, from, stored) != n) {
        return false;
    }
    r->at = r->records;
    r->end = r->records + n;
    return true;
}

/* Whether the records, including those of a new chunk, are too many for the size of the file. */
static bool expands(const struct mp_reader *r) {
    const struct mp_tables *t = &r->tables;
    uint64_t memory = MP_NODE_MEMORY * t->nodes.count + MP_RECORD_MEMORY * r->kept +
                      MP_NAME_MEMORY * (t->locations.count + t->strings.count);
    uint64_t most = MP_UNPACKED_MAX(r->position);
    if (r->start.flags & MP_SNAPSHOT) most += MP_SHAPES_MAX;
    return r->unpacked > most || memory > MP_MEMORY_MAX(r->position);
}

/* False: there is no further chunk, or none that can be trusted; r->coverage says which. */
static bool next_chunk(struct mp_reader *r) {
    size_t n, got;
    const uint8_t *head = take_input(r, MP_CHUNK_HEADER_BYTES, &n);
    if (n == 0) {
        mp_reader_stop(r, r->ended ? MP_READ_WHOLE : MP_READ_UNCLOSED, "%s", "");
        return false;
    }
    if (r->ended) return refuse_chunk(r, MP_READ_WHOLE, "data follows the END record");
    if (n < MP_CHUNK_HEADER_BYTES) return refuse_chunk(r, MP_READ_CUT, "truncated header");
    if (!header_fits(r, head)) return refuse_chunk(r, MP_READ_DAMAGED, "invalid header");
    const uint8_t *stored = take_input(r, u32_at(head + MP_CHUNK_STORED), &got);
    if (got < u32_at(head + MP_CHUNK_STORED)) return refuse_chunk(r, MP_READ_CUT, "truncated");
    if (u32_at(head + MP_CHUNK_STORED_CRC) != checksum(stored, got))
        return refuse_chunk(r, MP_READ_DAMAGED, "checksum mismatch");
    if (!decompress_chunk(r, head, stored))
        return refuse_chunk(r, MP_READ_DAMAGED, "cannot be decompressed");
    r->unpacked += (size_t)(r->end - r->records);
    if (expands(r)) return refuse_chunk(r, MP_READ_EXPANDS, "record the program at a lower rate");
    r->coverage.chunks++;
    r->coverage.read_bytes = r->position;
    return true;
}

/* ---- Fields. ---- */

bool mp_get_uint(const uint8_t **at, const uint8_t *end, uint64_t *out) {
    uint64_t n = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift == 63 && byte > 1) return false;
        n |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = n;
            return true;
        }
    }
    return false;
}

/* Most numbers take one byte. */
static inline bool get_uint(const uint8_t **at, const uint8_t *end, uint64_t *out) {
    if (__builtin_expect(*at == end || **at >= 0x80, 0)) return mp_get_uint(at, end, out);
    *out = *(*at)++;
    return true;
}

static inline bool get_sint(const uint8_t **at, const uint8_t *end, int64_t *out) {
    uint64_t n;
    if (!get_uint(at, end, &n)) return false;
    *out = (int64_t)(n >> 1 ^ -(n & 1));
    return true;
}

static bool get_byte(const uint8_t **at, const uint8_t *end, uint8_t *out) {
    if (*at == end) return false;
    *out = *(*at)++;
    return true;
}

static bool get_real(const uint8_t **at, const uint8_t *end, double *out) {
    uint64_t bits = 0;
    if (end - *at < 8) return false;
    for (int i = 0; i < 8; i++) bits |= (uint64_t) * (*at)++ << 8 * i;
    memcpy(out, &bits, sizeof bits);
    return true;
}

static bool get_text(const uint8_t **at, const uint8_t *end, struct mp_text *out) {
    uint64_t n;
    if (!get_uint(at, end, &n) || n > (uint64_t)(end - *at)) return false;
    *out = (struct mp_text){(const char *)*at, (size_t)n};
    *at += n;
    return true;
}

/* Finds the end of a list and checks its numbers, which are read later. */
static bool get_list(const uint8_t **at, const uint8_t *end, struct mp_list *out) {
    uint64_t n;
    int64_t ignored;
    if (!get_uint(at, end, &n) || n > (uint64_t)(end - *at)) return false;
    *out = (struct mp_list){.bytes = *at, .count = (size_t)n};
    for (; n > 0; n--)
        if (!get_sint(at, end, &ignored)) return false;
    return true;
}

#define BYTE(name) &&get_byte(at, end, &record->name)
#define UINT(name) &&get_uint(at, end, &record->name)
#define SINT(name) &&get_sint(at, end, &record->name)
#define REAL(name) &&get_real(at, end, &record->name)
#define TEXT(name) &&get_text(at, end, &record->name)
#define LIST(name) &&get_list(at, end, &record->name)
#define RECORD(id, tag, name, fields, meaning)                     \
    static bool get_##name(const uint8_t **at, const uint8_t *end, \
                           struct mp_record_##name *record) {      \
        return true fields;                                        \
    }
#include "memprof/format/record.def"

/* ---- Records. Each use_NAME returns false if the record contradicts those before it. ---- */

static bool is_snapshot(const struct mp_reader *r) { return (r->start.flags & MP_SNAPSHOT) != 0; }

static bool advance_time(struct mp_reader *r, uint64_t elapsed) {
    if (elapsed > MP_TIME_MAX - r->time_us) return false;
    r->time_us += elapsed;
    return true;
}

/* Starts the event that mp_reader_next will return; its own fields are to be set. */
static inline struct mp_event *emit(struct mp_reader *r, enum mp_event_kind kind) {
    ASSERT(!r->has_event && r->time_us <= MP_TIME_MAX);
    r->event->kind = kind;
    r->event->time_us = r->time_us;
    r->has_event = true;
    r->kept += kind != MP_EVENT_PROMOTED && kind != MP_EVENT_DIED && kind != MP_EVENT_HELD;
    return r->event;
}

/* The first record is read by read_start; there is no other START. */
static bool use_start(struct mp_reader *r, const struct mp_record_start *s) { return false; }

static bool use_sample(struct mp_reader *r, const struct mp_record_sample *s) {
    int64_t stack = (int64_t)((uint64_t)r->last_stack + (uint64_t)s->stack);
    unsigned source = s->kind & MP_SAMPLE_SOURCE_BITS;
    bool young = s->kind & MP_SAMPLE_YOUNG;
    uint64_t trials = s->words + !mp_has_no_header(source);
    if (s->kind > (MP_SAMPLE_YOUNG | MP_SAMPLE_SOURCE_BITS) ||
        (source == MP_SOURCE_FIBER && r->major < 2) || s->words > MP_WORDS_MAX ||
        s->more >= trials || stack < 0 || (uint64_t)stack >= r->tables.nodes.count ||
        !advance_time(r, s->elapsed))
        return false;
    r->last_stack = stack;
    uint64_t id = r->tables.samples.count;
    if (!mp_tables_add_sample(&r->tables, young)) return mp_reader_no_memory(r);
    emit(r, MP_EVENT_SAMPLE)->sample = (struct mp_sample){
        .id = id,
        .words = s->words,
        .samples = s->more + 1,
        .weight = r->weight,
        .stack = (uint32_t)stack,
        .source = source,
        .young = young,
        .tag = r->tables.locations.items[r->tables.nodes.items[stack].location].tag,
        .thread = r->thread,
    };
    return true;
}

static bool use_thread(struct mp_reader *r, const struct mp_record_thread *t) {
    if (r->major < 2 || t->domain > MP_WORDS_MAX || t->number > MP_WORDS_MAX) return false;
    r->thread = (struct mp_thread){t->domain, t->number};
    return true;
}

static bool use_weight(struct mp_reader *r, const struct mp_record_weight *w) {
    if (w->hits == 0 || w->hits > MP_WEIGHT_MAX || is_snapshot(r)) return false;
    r->weight = w->hits;
    return true;
}

static bool use_excess(struct mp_reader *r, const struct mp_record_excess *e) {
    if (e->hits > MP_WORDS_MAX) return false;
    emit(r, MP_EVENT_EXCESS)->excess = *e;
    return true;
}

static bool use_omitted(struct mp_reader *r, const struct mp_record_omitted *o) {
    if (o->pauses > MP_WORDS_MAX || o->phases > MP_WORDS_MAX || o->markings > MP_WORDS_MAX ||
        !advance_time(r, o->elapsed))
        return false;
    emit(r, MP_EVENT_OMITTED)->omitted = *o;
    return true;
}

static bool use_small_sample(struct mp_reader *r, const struct mp_record_small_sample *s) {
    struct mp_record_sample sample = {s->elapsed, MP_SOURCE_NORMAL | MP_SAMPLE_YOUNG, s->words, 0,
                                      s->stack};
    return use_sample(r, &sample);
}

static bool begin_list(struct mp_reader *r, uint64_t elapsed, struct mp_list list,
                       enum mp_event_kind kind, enum mp_generation generation) {
    ASSERT(r->list.count == 0);
    if (!advance_time(r, elapsed)) return false;
    r->list = list;
    r->list_number = 0;
    r->list_kind = kind;
    r->list_generation = generation;
    return true;
}

static bool use_held(struct mp_reader *r, const struct mp_record_held *h) {
    if (h->kind >= MP_HELD_KINDS || h->through > 1 || h->name >= r->tables.strings.count ||
        h->place >= r->tables.locations.count || h->slot > MP_WORDS_MAX || is_snapshot(r))
        return false;
    r->held = *h;
    r->kept++;
    return begin_list(r, 0, h->samples, MP_EVENT_HELD, MP_DIED_MINOR);
}

static bool use_promotions(struct mp_reader *r, const struct mp_record_promotions *p) {
    return begin_list(r, p->elapsed, p->samples, MP_EVENT_PROMOTED, MP_DIED_MINOR);
}

static bool use_deaths(struct mp_reader *r, const struct mp_record_deaths *d) {
    return d->generation <= MP_DIED_HELD &&
           begin_list(r, d->elapsed, d->samples, MP_EVENT_DIED, d->generation);
}

/* The next item of the list that is being read. */
static bool use_list_item(struct mp_reader *r) {
    int64_t difference = 0;
    bool is_there = get_sint(&r->list.bytes, r->end, &difference);
    ASSERT(is_there); /* get_list has checked it */
    (void)is_there;
    r->list.count--;
    uint64_t id = r->list_number += (uint64_t)difference;
    if (r->list_kind == MP_EVENT_PROMOTED) {
        if (!mp_tables_promote(&r->tables, id)) return false;
        emit(r, MP_EVENT_PROMOTED)->promoted.id = id;
        return true;
    }
    if (r->list_kind == MP_EVENT_HELD) {
        if (id >= r->tables.samples.count) return false;
        struct mp_event *held = emit(r, MP_EVENT_HELD);
        held->held.id = id;
        held->held.by = &r->held;
        return true;
    }
    if (!mp_tables_kill(&r->tables, id, r->list_generation)) return false;
    struct mp_event *event = emit(r, MP_EVENT_DIED);
    event->died.id = id;
    event->died.generation = r->list_generation;
    return true;
}

static bool use_string(struct mp_reader *r, const struct mp_record_string *s) {
    return mp_tables_add_string(&r->tables, &s->text) || mp_reader_no_memory(r);
}

static bool use_location(struct mp_reader *r, const struct mp_record_location *l) {
    const struct mp_tables *t = &r->tables;
    if (l->file >= t->strings.count || l->definition >= t->strings.count || l->line > UINT32_MAX ||
        l->start > UINT32_MAX || l->end > UINT32_MAX)
        return false;
    return mp_tables_add_location(&r->tables, l) || mp_reader_no_memory(r);
}

static bool use_block_tag(struct mp_reader *r, const struct mp_record_block_tag *t) {
    if (t->location == 0 || t->location >= r->tables.locations.count) return false;
    r->tables.locations.items[t->location].tag = t->tag;
    return true;
}

static bool use_site(struct mp_reader *r, const struct mp_record_site *s) {
    if (s->location >= r->tables.locations.count || s->words > MP_WORDS_MAX ||
        s->blocks > MP_WORDS_MAX)
        return false;
    emit(r, MP_EVENT_SITE)->site = *s;
    return true;
}

static bool use_selection(struct mp_reader *r, const struct mp_record_selection *s) {
    if (s->hits > MP_WORDS_MAX) return false;
    emit(r, MP_EVENT_SELECTION)->selection = *s;
    return true;
}

static bool use_stack(struct mp_reader *r, const struct mp_record_stack *s) {
    struct mp_tables *t = &r->tables;
    if (s->back == 0 || s->back > t->nodes.count) return false;
    uint64_t caller = t->nodes.count - s->back, location = 0;
    const uint8_t *at = s->locations.bytes;
    for (size_t i = 0; i < s->locations.count; i++) {
        int64_t difference = 0;
        get_sint(&at, r->end, &difference);
        location += (uint64_t)difference;
        if (location == 0 || location >= t->locations.count) return false;
        if (!mp_tables_add_node(t, (uint32_t)caller, (uint32_t)location))
            return mp_reader_no_memory(r);
        caller = t->nodes.count - 1;
    }
    return true;
}

static bool use_gc_span(struct mp_reader *r, const struct mp_record_gc_span *s) {
    if (s->phase >= MP_GC_PHASE_COUNT || s->duration_ns > 1000 * MP_TIME_MAX ||
        !advance_time(r, s->elapsed))
        return false;
    emit(r, MP_EVENT_GC_SPAN)->gc_span = *s;
    return true;
}

static bool use_settings(struct mp_reader *r, const struct mp_record_settings *s) {
    if (s->live > 1) return false;
    emit(r, MP_EVENT_SETTINGS)->settings = *s;
    return true;
}

static bool use_before(struct mp_reader *r, const struct mp_record_before *b) {
    emit(r, MP_EVENT_BEFORE)->before = *b;
    return true;
}

static bool use_pause(struct mp_reader *r, const struct mp_record_pause *p) {
    if (p->owner >= MP_PAUSE_OWNERS || p->duration_ns > 1000 * MP_TIME_MAX ||
        p->processor_ns > 1000 * MP_TIME_MAX || !advance_time(r, p->elapsed))
        return false;
    struct mp_event *event = emit(r, MP_EVENT_PAUSE);
    event->pause = *p;
    event->cause = r->cause;
    return true;
}

static bool use_cause(struct mp_reader *r, const struct mp_record_cause *c) {
    if (c->cause >= MP_CAUSES) return false;
    r->cause = c->cause;
    return true;
}

static bool use_resident(struct mp_reader *r, const struct mp_record_resident *m) {
    if (m->bytes > MP_WORDS_MAX || !advance_time(r, m->elapsed)) return false;
    emit(r, MP_EVENT_RESIDENT)->resident = *m;
    return true;
}

static bool use_ticks(struct mp_reader *r, const struct mp_record_ticks *t) {
    if (t->running > UINT32_MAX || t->collecting > UINT32_MAX ||
        t->stack >= r->tables.nodes.count || !advance_time(r, t->elapsed))
        return false;
    emit(r, MP_EVENT_TICKS)->ticks = *t;
    return true;
}

static bool use_cost(struct mp_reader *r, const struct mp_record_cost *c) {
    if (c->overhead_ns > 1000 * MP_TIME_MAX || c->process_ns > 1000 * MP_TIME_MAX) return false;
    emit(r, MP_EVENT_COST)->cost = *c;
    return true;
}

static bool use_marking(struct mp_reader *r, const struct mp_record_marking *m) {
    if (m->words > MP_WORDS_MAX || !advance_time(r, m->elapsed) || m->duration > r->time_us)
        return false;
    emit(r, MP_EVENT_MARKING)->marking = *m;
    return true;
}

static bool use_maximum(struct mp_reader *r, const struct mp_record_maximum *m) {
    if (m->words > MP_WORDS_MAX || !advance_time(r, m->elapsed)) return false;
    emit(r, MP_EVENT_MAXIMUM)->maximum = *m;
    return true;
}

static bool use_phase_enter(struct mp_reader *r, const struct mp_record_phase_enter *p) {
    if (p->name >= r->tables.strings.count || !advance_time(r, p->elapsed)) return false;
    if (!vector_push(&r->tables.phases, (uint32_t)p->name, MP_TABLE_FIRST, NULL))
        return mp_reader_no_memory(r);
    emit(r, MP_EVENT_PHASE_ENTER)->phase.name = (uint32_t)p->name;
    return true;
}

static bool use_phase_leave(struct mp_reader *r, const struct mp_record_phase_leave *p) {
    if (r->tables.phases.count == 0 || !advance_time(r, p->elapsed)) return false;
    emit(r, MP_EVENT_PHASE_LEAVE)->phase.name = r->tables.phases.items[--r->tables.phases.count];
    return true;
}

static bool use_count(struct mp_reader *r, const struct mp_record_count *c) {
    if (c->name >= r->tables.strings.count || c->more > MP_WORDS_MAX ||
        !advance_time(r, c->elapsed))
        return false;
    emit(r, MP_EVENT_COUNT)->count = *c;
    return true;
}

/* A counter that only grows. False: it would exceed MP_WORDS_MAX. */
static bool add_to_total(uint64_t *counter, uint64_t difference) {
    if (difference > MP_WORDS_MAX - *counter) return false;
    *counter += difference;
    return true;
}

/* A counter that grows and shrinks. */
static bool add_to_level(uint64_t *counter, int64_t difference) {
    uint64_t sum = *counter + (uint64_t)difference;
    if (sum > MP_WORDS_MAX) return false;
    *counter = sum;
    return true;
}

static bool use_counters(struct mp_reader *r, const struct mp_record_counters *c) {
    struct mp_counters *now = &r->counters;
    bool fits = true;
#define TOTAL(name) fits = fits && add_to_total(&now->name, c->name);
#define LEVEL(name) fits = fits && add_to_level(&now->name, c->name);
#include "memprof/format/counters.def"
    if (!fits || !advance_time(r, c->elapsed)) return false;
    emit(r, MP_EVENT_COUNTERS)->counters = *now;
    return true;
}

static bool use_written(struct mp_reader *r, const struct mp_record_written *w) {
    if (w->path.length > MP_PATH_MAX || !advance_time(r, w->elapsed)) return false;
    memcpy(r->path, w->path.bytes, w->path.length);
    r->path[w->path.length] = 0;
    emit(r, MP_EVENT_WRITTEN)->written = (struct mp_record_written){w->elapsed,
                                                                    {r->path, w->path.length}};
    return true;
}

static bool use_root(struct mp_reader *r, const struct mp_record_root *root) {
    if (!is_snapshot(r) || root->kind >= MP_ROOT_KINDS || root->name >= r->tables.strings.count ||
        root->place >= r->tables.locations.count || root->block > MP_WORDS_MAX)
        return false;
    emit(r, MP_EVENT_ROOT)->root = *root;
    return true;
}

static bool use_blocks(struct mp_reader *r, const struct mp_record_blocks *b) {
    if (!is_snapshot(r)) return false;
    emit(r, MP_EVENT_BLOCKS)->blocks = *b;
    return true;
}

static bool use_contents(struct mp_reader *r, const struct mp_record_contents *c) {
    if (!is_snapshot(r) || (r->start.flags & MP_VALUES) == 0) return false;
    emit(r, MP_EVENT_CONTENTS)->contents = *c;
    return true;
}

static bool use_ephemeron(struct mp_reader *r, const struct mp_record_ephemeron *e) {
    if (!is_snapshot(r) || e->block > MP_WORDS_MAX || e->key > MP_WORDS_MAX ||
        e->data > MP_WORDS_MAX)
        return false;
    emit(r, MP_EVENT_EPHEMERON)->ephemeron = *e;
    return true;
}

static bool use_heap(struct mp_reader *r, const struct mp_record_heap *h) {
    if (!is_snapshot(r) || h->blocks > MP_WORDS_MAX || h->edges > MP_WORDS_MAX ||
        h->words > MP_WORDS_MAX || h->external_bytes > MP_WORDS_MAX ||
        h->marking_ns > 1000 * MP_TIME_MAX || h->duration_ns > 1000 * MP_TIME_MAX ||
        !advance_time(r, h->elapsed))
        return false;
    emit(r, MP_EVENT_HEAP)->heap = *h;
    return true;
}

static bool use_name(struct mp_reader *r, const struct mp_record_name *n) {
    if (!is_snapshot(r) || n->kind >= MP_NAME_KINDS || n->of > UINT32_MAX || n->slot > UINT32_MAX ||
        n->text >= r->tables.strings.count ||
        ((n->kind == MP_NAME_CAPTURED || n->kind == MP_NAME_VARIABLE) &&
         n->of >= r->tables.locations.count))
        return false;
    r->has_name = true;
    emit(r, MP_EVENT_NAME)->name = *n;
    return true;
}

static bool use_sampled(struct mp_reader *r, const struct mp_record_sampled *s) {
    if (!is_snapshot(r) || s->block > MP_WORDS_MAX || s->place >= r->tables.locations.count)
        return false;
    emit(r, MP_EVENT_SAMPLED)->sampled = *s;
    return true;
}

static bool use_label(struct mp_reader *r, const struct mp_record_label *l) {
    if (!is_snapshot(r) || l->block > MP_WORDS_MAX || l->text >= r->tables.strings.count)
        return false;
    emit(r, MP_EVENT_LABEL)->label = *l;
    return true;
}

static bool use_type(struct mp_reader *r, const struct mp_record_type *t) {
    if (!is_snapshot(r) || t->source >= MP_TYPE_SOURCES || t->name >= r->tables.strings.count)
        return false;
    r->in_type = true;
    r->in_shape = false;
    emit(r, MP_EVENT_TYPE)->type = *t;
    return true;
}

static bool use_shape(struct mp_reader *r, const struct mp_record_shape *s) {
    if (!r->in_type || s->kind >= MP_SHAPE_KINDS || s->constructor >= r->tables.strings.count)
        return false;
    r->in_shape = true;
    emit(r, MP_EVENT_SHAPE)->shape = *s;
    return true;
}

static bool use_member(struct mp_reader *r, const struct mp_record_member *m) {
    if (!r->in_shape || m->name >= r->tables.strings.count || m->type > UINT32_MAX) return false;
    emit(r, MP_EVENT_MEMBER)->member = *m;
    return true;
}

static bool use_typed(struct mp_reader *r, const struct mp_record_typed *t) {
    if (!r->has_name || t->type > UINT32_MAX) return false;
    emit(r, MP_EVENT_TYPED)->typed = *t;
    return true;
}

static bool use_finish(struct mp_reader *r, const struct mp_record_finish *f) {
    if (r->finished || f->outcome >= MP_OUTCOME_COUNT || f->status > UINT32_MAX ||
        !advance_time(r, f->elapsed))
        return false;
    r->finished = true;
    emit(r, MP_EVENT_FINISH)->finish = *f;
    return true;
}

static bool use_end(struct mp_reader *r, const struct mp_record_end *e) {
    if (r->at != r->end || !advance_time(r, e->elapsed)) return false;
    r->ended = true;
    emit(r, MP_EVENT_END)->end = *e;
    return true;
}

/* Reads and uses the record at r->at. */
static bool use_record(struct mp_reader *r) {
    r->tag = *r->at++;
    switch (r->tag) {
#define RECORD(id, number, name, fields, meaning)                             \
    case number: {                                                            \
        struct mp_record_##name record;                                       \
        return get_##name(&r->at, r->end, &record) && use_##name(r, &record); \
    }
#include "memprof/format/record.def"
    default: return false;
    }
}

bool mp_reader_next(struct mp_reader *r, struct mp_event *event) {
    r->has_event = false;
    r->event = event;
    while (!r->over && !r->has_event) {
        bool fits = true;
        size_t offset = (size_t)(r->at - r->records);
        if (r->list.count > 0) fits = use_list_item(r);
        else if (r->at < r->end) fits = use_record(r);
        else next_chunk(r);
        if (fits || r->over) continue;
        mp_reader_stop(r, MP_READ_DAMAGED, "chunk %llu: invalid record (tag %u, byte %zu)",
                       (unsigned long long)r->coverage.chunks - 1, r->tag, offset);
        r->coverage.ignored_bytes = r->length - r->position;
    }
    if (!r->has_event) return false;
    r->coverage.events++;
    return true;
}

/* ---- Opening. ---- */

bool mp_reader_no_memory(struct mp_reader *r) {
    mp_reader_stop(r, MP_READ_NO_MEMORY, "for %zu samples and %u call stacks",
                   r->tables.samples.count, mp_reader_stack_count(r));
    return false;
}

bool mp_reader_recognises(const uint8_t *bytes, size_t n) {
    return n >= 8 && memcmp(bytes, MP_FILE_MAGIC, 8) == 0;
}

static enum mp_read_status read_file_header(struct mp_reader *r) {
    size_t n;
    const uint8_t *head = take_input(r, MP_FILE_HEADER_BYTES, &n);
    if (!mp_reader_recognises(head, n)) return MP_READ_FOREIGN;
    if (n < MP_FILE_HEADER_BYTES || u32_at(head + 12) != checksum(head, 12)) return MP_READ_DAMAGED;
    r->coverage.read_bytes = n;
    r->major = head[8] | head[9] << 8;
    bool known = r->major >= MP_FORMAT_OLDEST && r->major <= MP_FORMAT_MAJOR;
    return known ? MP_READ_WHOLE : MP_READ_NEWER;
}

enum { START_TEXTS = 5 };

static void list_start_texts(struct mp_reader *r, struct mp_text *texts[START_TEXTS]) {
    struct mp_record_start *s = &r->start;
    texts[0] = &s->program, texts[1] = &s->arguments, texts[2] = &s->host;
    texts[3] = &s->ocaml, texts[4] = &s->recorder;
}

/* The first record of the first chunk. */
static enum mp_read_status read_start(struct mp_reader *r) {
    struct mp_record_start s;
    struct mp_text *texts[START_TEXTS];
    if (!next_chunk(r))
        return r->coverage.status == MP_READ_UNCLOSED ? MP_READ_CUT : r->coverage.status;
    bool sane = r->at < r->end && *r->at++ == MP_TAG_START && get_start(&r->at, r->end, &s) &&
                s.word_bits == 64 && s.rate >= MP_RATE_MIN && s.rate <= 1 &&
                s.started_us <= MP_TIME_MAX;
    if (!sane) {
        mp_reader_stop(r, MP_READ_DAMAGED, "the first record is not START");
        return MP_READ_DAMAGED;
    }
    r->start = s;
    list_start_texts(r, texts);
    bool kept = true;
    for (int i = 0; i < START_TEXTS; i++) {
        kept = kept && mp_tables_keep_text(texts[i], texts[i]);
        if (!kept) texts[i]->bytes = NULL;
    }
    return kept ? MP_READ_WHOLE : MP_READ_NO_MEMORY;
}

struct mp_reader *mp_reader_of_bytes(const uint8_t *bytes, size_t length,
                                     struct mp_read_error *error) {
    struct mp_reader *r = calloc(1, sizeof *r);
    *error = (struct mp_read_error){.status = MP_READ_NO_MEMORY};
    if (r == NULL) return NULL;
    r->bytes = bytes;
    r->length = length;
    r->weight = 1;
    r->records = malloc(MP_CHUNK_MAX_BYTES);
    r->decompressor = ZSTD_createDCtx();
    enum mp_read_status status = MP_READ_NO_MEMORY;
    bool made = r->records != NULL && r->decompressor != NULL;
    if (made && mp_tables_init(&r->tables)) status = read_file_header(r);
    r->at = r->end = r->records;
    if (status == MP_READ_WHOLE) status = read_start(r);
    if (status == MP_READ_WHOLE) return r;
    error->status = status;
    snprintf(error->detail, sizeof error->detail, "%s", r->coverage.detail);
    mp_reader_close(r);
    return NULL;
}

void mp_reader_extend(struct mp_reader *r, const uint8_t *bytes, uint64_t from, size_t length) {
    ASSERT(from <= r->coverage.read_bytes && r->coverage.read_bytes <= from + length);
    r->bytes = bytes;
    r->from = from;
    r->length = from + length;
    bool waits = r->coverage.status == MP_READ_UNCLOSED || r->coverage.status == MP_READ_CUT;
    if (!r->over || !waits) return;
    r->position = r->coverage.read_bytes;
    r->coverage.detail[0] = 0;
    r->over = false;
}

void mp_reader_close(struct mp_reader *r) {
    struct mp_text *texts[START_TEXTS];
    if (r == NULL) return;
    mp_tables_free(&r->tables);
    list_start_texts(r, texts);
    for (int i = 0; i < START_TEXTS; i++) free((char *)texts[i]->bytes);
    ZSTD_freeDCtx(r->decompressor);
    free(r->records);
    free(r);
}

const struct mp_record_start *mp_reader_start(const struct mp_reader *r) { return &r->start; }
unsigned mp_reader_version(const struct mp_reader *r) { return r->major; }

void mp_reader_coverage(const struct mp_reader *r, struct mp_coverage *out) { *out = r->coverage; }
