/* The reader reads what the writer writes, and refuses what was cut off, damaged or forged without
 * a crash (PR1 to PR3, PW1, PW2). */
#include "memprof/format/reader.h"
#include "memprof/format/record.h"
#include "memprof/format/writer.h"
#include "tests/prof/chunk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

enum { MAX_EVENTS = 20000, MAX_CHUNKS = 64, MAX_SAMPLES = 6000 };

struct model {
    struct mp_event events[MAX_EVENTS];
    struct mp_record_held held[MAX_EVENTS]; /* of the events of that kind */
    size_t count;
    uint64_t time;
    uint8_t states[MAX_SAMPLES]; /* 1 young, 2 old, 0 dead */
    uint64_t samples;
    int64_t last_stack;
    struct mp_thread thread;
    uint64_t weight;
    uint64_t nodes, locations, strings;
    uint32_t node_location[MAX_EVENTS * 40];
    int tags[MAX_EVENTS + 1]; /* of locations, as reported last */
    unsigned depth;
    uint32_t names[64];
    struct mp_counters counters;
    /* At the end of each chunk: bytes of the file, events so far. */
    uint64_t chunk_bytes[MAX_CHUNKS];
    size_t chunk_events[MAX_CHUNKS];
    size_t chunks;
};

static unsigned dice(unsigned n) { return (unsigned)(random() % n); }

static uint64_t pass_time(struct model *m) {
    uint64_t elapsed = dice(3) == 0 ? dice(100000) : dice(100);
    m->time += elapsed;
    return elapsed;
}

static struct mp_event *new_event(struct model *m, enum mp_event_kind kind) {
    struct mp_event *e = &m->events[m->count++];
    memset(e, 0, sizeof *e);
    e->kind = kind;
    e->time_us = m->time;
    return e;
}

static void write_stack(struct mp_writer *w, struct model *m) {
    uint64_t locations[40];
    size_t n = 1 + dice(40);
    for (size_t i = 0; i < n; i++) locations[i] = 1 + dice((unsigned)m->locations);
    uint64_t caller = dice((unsigned)m->nodes + 1);
    struct mp_record_stack record = {m->nodes + 1 - caller, {.items = locations, .count = n}};
    for (size_t i = 0; i < n; i++) m->node_location[m->nodes + 1 + i] = (uint32_t)locations[i];
    mp_write_stack(w, &record);
    m->nodes += n;
}

static void write_sample(struct mp_writer *w, struct model *m) {
    if (m->samples == MAX_SAMPLES) return;
    if (dice(4) == 0) {
        m->thread = (struct mp_thread){dice(3), dice(1000)};
        struct mp_record_thread thread = {m->thread.domain, m->thread.number};
        mp_write_thread(w, &thread);
    }
    if (dice(4) == 0) {
        m->weight = 1u << dice(32);
        mp_write_weight(w, &(struct mp_record_weight){m->weight});
    }
    uint64_t elapsed = pass_time(m), words = dice(5) == 0 ? 1 + dice(1000000) : 1 + dice(16);
    struct mp_event *e = new_event(m, MP_EVENT_SAMPLE);
    int64_t stack = dice((unsigned)m->nodes + 1);
    e->sample = (struct mp_sample){m->samples,
                                   words,
                                   1 + dice((unsigned)words),
                                   m->weight,
                                   (uint32_t)stack,
                                   (enum mp_source)dice(MP_SOURCE_COUNT),
                                   dice(2) == 0,
                                   stack == 0 ? -1 : m->tags[m->node_location[stack]],
                                   m->thread};
    struct mp_record_sample record = {
        elapsed, (uint8_t)(e->sample.source | (e->sample.young ? MP_SAMPLE_YOUNG : 0)), words,
        e->sample.samples - 1, stack - m->last_stack};
    struct mp_record_small_sample small = {elapsed, words, record.stack};
    if (record.kind == MP_SAMPLE_YOUNG && record.more == 0) mp_write_small_sample(w, &small);
    else mp_write_sample(w, &record);
    m->last_stack = stack;
    m->states[m->samples++] = e->sample.young ? 1 : 2;
}

static void write_held(struct mp_writer *w, struct model *m) {
    uint64_t ids[8];
    struct mp_record_held record = {.kind = (uint8_t)dice(MP_HELD_KINDS),
                                    .through = (uint8_t)dice(2),
                                    .name = dice((unsigned)m->strings + 1),
                                    .place = dice((unsigned)m->locations + 1),
                                    .slot = dice(1000),
                                    .samples = {.items = ids}};
    for (; record.samples.count < 8 && m->samples > 0; record.samples.count++) {
        ids[record.samples.count] = dice((unsigned)m->samples);
        m->held[m->count] = record;
        struct mp_event *e = new_event(m, MP_EVENT_HELD);
        e->held.id = ids[record.samples.count];
        e->held.by = &m->held[m->count - 1];
    }
    mp_write_held(w, &record);
}

static void write_fates(struct mp_writer *w, struct model *m, bool promote) {
    uint64_t ids[8];
    size_t n = 0;
    unsigned from = promote ? 1 : 1 + dice(2);
    enum mp_generation generation = from == 1 ? MP_DIED_MINOR : MP_DIED_MAJOR + dice(2);
    uint64_t elapsed = pass_time(m);
    for (int i = 0; i < 8 && m->samples > 0; i++) {
        uint64_t id = dice((unsigned)m->samples);
        if (m->states[id] != from) continue;
        m->states[id] = promote ? 2 : 0;
        ids[n++] = id;
        struct mp_event *e = new_event(m, promote ? MP_EVENT_PROMOTED : MP_EVENT_DIED);
        if (promote) e->promoted.id = id;
        else e->died.id = id, e->died.generation = generation;
    }
    struct mp_list list = {.items = ids, .count = n};
    struct mp_record_promotions p = {elapsed, list};
    struct mp_record_deaths d = {elapsed, (uint8_t)generation, list};
    if (promote) mp_write_promotions(w, &p);
    else mp_write_deaths(w, &d);
}

static void write_counters(struct mp_writer *w, struct model *m) {
    struct mp_record_counters record = {pass_time(m),
                                        dice(1000),
                                        dice(1000),
                                        dice(1000),
                                        dice(1000),
                                        dice(2),
                                        dice(2),
                                        (int64_t)dice(1000) - 100,
                                        (int64_t)dice(1000) - 100};
    struct mp_counters *c = &m->counters;
    if (c->live_words < 100) record.live_words = 200;
    if (c->heap_words < 100) record.heap_words = 200;
    c->minor_words += record.minor_words;
    c->promoted_words += record.promoted_words;
    c->major_words += record.major_words;
    c->external_words += record.external_words;
    c->minor_collections += record.minor_collections;
    c->major_collections += record.major_collections;
    c->live_words += (uint64_t)record.live_words;
    c->heap_words += (uint64_t)record.heap_words;
    mp_write_counters(w, &record);
    new_event(m, MP_EVENT_COUNTERS)->counters = *c;
}

static void write_span(struct mp_writer *w, struct model *m) {
    struct mp_record_gc_span record = {pass_time(m), (uint8_t)dice(MP_GC_PHASE_COUNT),
                                       dice(1 << 30), dice(1000)};
    mp_write_gc_span(w, &record);
    struct mp_event *e = new_event(m, MP_EVENT_GC_SPAN);
    e->gc_span.phase = record.phase;
    e->gc_span.duration_ns = record.duration_ns;
    e->gc_span.words = record.words;
    struct mp_record_pause pause = {pass_time(m), (uint8_t)dice(MP_PAUSE_OWNERS), dice(1 << 30),
                                    dice(1 << 30), dice(1000)};
    const struct mp_record_cause cause = {(uint8_t)dice(MP_CAUSES)};
    mp_write_cause(w, &cause);
    mp_write_pause(w, &pause);
    e = new_event(m, MP_EVENT_PAUSE);
    e->pause = pause;
    e->cause = cause.cause;
    const struct mp_record_resident resident = {pass_time(m), dice(1 << 30)};
    mp_write_resident(w, &resident);
    new_event(m, MP_EVENT_RESIDENT)->resident = resident;
    const struct mp_record_ticks ticks = {pass_time(m), dice(100), dice(100), 0};
    mp_write_ticks(w, &ticks);
    new_event(m, MP_EVENT_TICKS)->ticks = ticks;
}

static void write_marking(struct mp_writer *w, struct model *m) {
    uint64_t elapsed = pass_time(m);
    struct mp_record_marking marking = {elapsed, elapsed, dice(1 << 30)};
    mp_write_marking(w, &marking);
    struct mp_event *e = new_event(m, MP_EVENT_MARKING);
    e->marking.duration = marking.duration, e->marking.words = marking.words;
    struct mp_record_maximum maximum = {pass_time(m), dice(1 << 30)};
    mp_write_maximum(w, &maximum);
    new_event(m, MP_EVENT_MAXIMUM)->maximum.words = maximum.words;
}

static void write_phase(struct mp_writer *w, struct model *m) {
    const struct mp_record_count count = {pass_time(m), dice((unsigned)m->strings + 1), dice(1000)};
    mp_write_count(w, &count);
    new_event(m, MP_EVENT_COUNT)->count = count;
    if (m->depth > 0 && (m->depth == 64 || dice(2) == 0)) {
        struct mp_record_phase_leave record = {pass_time(m)};
        mp_write_phase_leave(w, &record);
        new_event(m, MP_EVENT_PHASE_LEAVE)->phase.name = m->names[--m->depth];
        return;
    }
    struct mp_record_phase_enter record = {pass_time(m), dice((unsigned)m->strings + 1)};
    mp_write_phase_enter(w, &record);
    new_event(m, MP_EVENT_PHASE_ENTER)->phase.name = m->names[m->depth++] = (uint32_t)record.name;
}

static void write_names(struct mp_writer *w, struct model *m) {
    struct mp_record_string string = {{"a name\0with a zero", dice(19)}};
    mp_write_string(w, &string);
    m->strings++;
    struct mp_record_location location = {dice(1000),
                                          dice((unsigned)m->strings + 1),
                                          dice((unsigned)m->strings + 1),
                                          dice(5000),
                                          dice(80),
                                          dice(80)};
    mp_write_location(w, &location);
    m->tags[++m->locations] = -1;
}

static void write_place(struct mp_writer *w, struct model *m) {
    uint64_t location = 1 + dice((unsigned)m->locations);
    struct mp_record_block_tag tag = {location, (uint8_t)dice(256)};
    struct mp_record_site site = {location, dice(1 << 30), dice(1000)};
    mp_write_block_tag(w, &tag);
    m->tags[location] = tag.tag;
    mp_write_site(w, &site);
    struct mp_event *e = new_event(m, MP_EVENT_SITE);
    e->site.location = (uint32_t)location, e->site.words = site.words, e->site.blocks = site.blocks;
    struct mp_record_selection selection = {dice(1000)};
    mp_write_selection(w, &selection);
    new_event(m, MP_EVENT_SELECTION)->selection.hits = selection.hits;
    struct mp_record_excess excess = {dice(1000)};
    mp_write_excess(w, &excess);
    new_event(m, MP_EVENT_EXCESS)->excess = excess;
    struct mp_record_omitted omitted = {pass_time(m), dice(1000), dice(3), dice(1000)};
    mp_write_omitted(w, &omitted);
    new_event(m, MP_EVENT_OMITTED)->omitted = omitted;
}

static void note_chunk(struct mp_writer *w, struct model *m) {
    mp_writer_flush(w);
    m->chunk_bytes[m->chunks] = mp_writer_file_bytes(w);
    m->chunk_events[m->chunks++] = m->count;
}

static void write_start(struct mp_writer *w) {
    struct mp_record_start start = {.word_bits = 64,
                                    .rate = 0.25,
                                    .seed = 7,
                                    .pid = 42,
                                    .started_us = 1000,
                                    .program = {"prog", 4},
                                    .arguments = {"prog\0x\0", 7},
                                    .recorder = {"test", 4}};
    mp_write_start(w, &start);
}

/* A random profile in a file of its own; returns its descriptor. */
static int write_profile(struct model *m, unsigned seed, size_t events, bool closed) {
    srandom(seed);
    memset(m, 0, sizeof *m);
    m->weight = 1;
    int fd = memfd_create("profile", MFD_CLOEXEC);
    struct mp_writer *w = mp_writer_create(fd);
    assert_non_null(w);
    write_start(w);
    note_chunk(w, m);
    const struct mp_record_before before = {12345};
    mp_write_before(w, &before);
    new_event(m, MP_EVENT_BEFORE)->before = before;
    write_names(w, m);
    while (m->count < events) {
        unsigned n = dice(100);
        if (n < 50) write_sample(w, m);
        else if (n < 53) write_held(w, m);
        else if (n < 60) write_fates(w, m, true);
        else if (n < 75) write_fates(w, m, false);
        else if (n < 80) write_counters(w, m);
        else if (n < 83) write_span(w, m);
        else if (n < 85) write_marking(w, m);
        else if (n < 90) write_phase(w, m);
        else if (n < 93) write_names(w, m);
        else if (n < 95) write_place(w, m);
        else if (n < 99) write_stack(w, m);
        else if (dice(4) == 0 && m->chunks < MAX_CHUNKS - 3) note_chunk(w, m);
    }
    if (closed) {
        struct mp_record_finish finish = {pass_time(m), MP_EXITED, 3};
        mp_write_finish(w, &finish);
        struct mp_event *e = new_event(m, MP_EVENT_FINISH);
        e->finish.outcome = MP_EXITED, e->finish.status = 3;
        struct mp_record_cost cost = {1234567, 12345678};
        mp_write_cost(w, &cost);
        e = new_event(m, MP_EVENT_COST);
        e->cost = cost;
        struct mp_record_end end = {pass_time(m), 123456789, 2};
        mp_write_end(w, &end);
        e = new_event(m, MP_EVENT_END);
        e->end.overhead_ns = 123456789, e->end.lost_samples = 2;
    }
    note_chunk(w, m);
    assert_int_equal(mp_writer_problem(w), 0);
    mp_writer_free(w);
    return fd;
}

static uint8_t *bytes_of(int fd, size_t *length) {
    *length = (size_t)lseek(fd, 0, SEEK_END);
    uint8_t *bytes = malloc(*length);
    assert_int_equal(pread(fd, bytes, *length, 0), (ssize_t)*length);
    return bytes;
}

static bool same_event(const struct mp_event *a, const struct mp_event *b) {
    if (a->kind != b->kind || a->time_us != b->time_us) return false;
    switch (a->kind) {
    case MP_EVENT_SAMPLE:
        return a->sample.id == b->sample.id && a->sample.words == b->sample.words &&
               a->sample.samples == b->sample.samples && a->sample.stack == b->sample.stack &&
               a->sample.weight == b->sample.weight && a->sample.source == b->sample.source &&
               a->sample.young == b->sample.young && a->sample.tag == b->sample.tag &&
               a->sample.thread.domain == b->sample.thread.domain &&
               a->sample.thread.number == b->sample.thread.number;
    case MP_EVENT_EXCESS: return a->excess.hits == b->excess.hits;
    case MP_EVENT_OMITTED:
        return a->omitted.pauses == b->omitted.pauses && a->omitted.phases == b->omitted.phases &&
               a->omitted.markings == b->omitted.markings;
    case MP_EVENT_SELECTION: return a->selection.hits == b->selection.hits;
    case MP_EVENT_SITE:
        return a->site.location == b->site.location && a->site.words == b->site.words &&
               a->site.blocks == b->site.blocks;
    case MP_EVENT_HELD:
        return a->held.id == b->held.id && a->held.by->kind == b->held.by->kind &&
               a->held.by->through == b->held.by->through && a->held.by->name == b->held.by->name &&
               a->held.by->place == b->held.by->place && a->held.by->slot == b->held.by->slot;
    case MP_EVENT_PROMOTED: return a->promoted.id == b->promoted.id;
    case MP_EVENT_DIED: return a->died.id == b->died.id && a->died.generation == b->died.generation;
    case MP_EVENT_GC_SPAN:
        return a->gc_span.phase == b->gc_span.phase && a->gc_span.words == b->gc_span.words &&
               a->gc_span.duration_ns == b->gc_span.duration_ns;
    case MP_EVENT_PAUSE:
        return a->pause.owner == b->pause.owner && a->pause.words == b->pause.words &&
               a->pause.duration_ns == b->pause.duration_ns &&
               a->pause.processor_ns == b->pause.processor_ns && a->cause == b->cause;
    case MP_EVENT_BEFORE: return a->before.words == b->before.words;
    case MP_EVENT_RESIDENT: return a->resident.bytes == b->resident.bytes;
    case MP_EVENT_TICKS:
        return a->ticks.running == b->ticks.running && a->ticks.collecting == b->ticks.collecting &&
               a->ticks.stack == b->ticks.stack;
    case MP_EVENT_COST:
        return a->cost.overhead_ns == b->cost.overhead_ns &&
               a->cost.process_ns == b->cost.process_ns;
    case MP_EVENT_MARKING:
        return a->marking.duration == b->marking.duration && a->marking.words == b->marking.words;
    case MP_EVENT_MAXIMUM: return a->maximum.words == b->maximum.words;
    case MP_EVENT_COUNT: return a->count.name == b->count.name && a->count.more == b->count.more;
    case MP_EVENT_COUNTERS: return memcmp(&a->counters, &b->counters, sizeof a->counters) == 0;
    case MP_EVENT_FINISH:
        return a->finish.outcome == b->finish.outcome && a->finish.status == b->finish.status;
    case MP_EVENT_END:
        return a->end.overhead_ns == b->end.overhead_ns &&
               a->end.lost_samples == b->end.lost_samples;
    default: return a->phase.name == b->phase.name;
    }
}

/* Reads everything; returns the number of events, which must all be those of the model. */
static size_t read_all(struct mp_reader *r, const struct model *m, struct mp_coverage *c) {
    struct mp_event event;
    size_t n = 0;
    while (mp_reader_next(r, &event)) {
        assert_true(n < m->count && same_event(&event, &m->events[n]));
        n++;
    }
    assert_false(mp_reader_next(r, &event));
    mp_reader_coverage(r, c);
    assert_int_equal(c->events, n);
    mp_reader_close(r);
    return n;
}

static void what_is_written_is_read(void **state) {
    static struct model m;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct mp_read_error error;
        struct mp_coverage c;
        bool closed = seed % 2 == 0;
        int fd = write_profile(&m, seed, 200 * seed, closed);
        size_t length;
        uint8_t *bytes = bytes_of(fd, &length);
        close(fd);
        struct mp_reader *r = mp_reader_of_bytes(bytes, length, &error);
        assert_non_null(r);
        const struct mp_record_start *s = mp_reader_start(r);
        assert_true(s->rate == 0.25 && s->pid == 42 && s->seed == 7 && s->started_us == 1000);
        assert_string_equal(s->program.bytes, "prog");
        assert_memory_equal(s->arguments.bytes, "prog\0x\0", 8);
        assert_int_equal(read_all(r, &m, &c), m.count);
        assert_int_equal(c.status, closed ? MP_READ_WHOLE : MP_READ_UNCLOSED);
        assert_int_equal(c.ignored_bytes, 0);
        free(bytes);
    }
}

static void a_file_cut_anywhere_gives_its_whole_chunks(void **state) {
    static struct model m;
    size_t length;
    int fd = write_profile(&m, 5, 700, true);
    uint8_t *bytes = bytes_of(fd, &length);
    close(fd);
    for (size_t n = 0; n < length; n++) {
        struct mp_read_error error;
        struct mp_coverage c;
        size_t chunks = 0;
        while (chunks < m.chunks && m.chunk_bytes[chunks] <= n) chunks++;
        uint8_t *part = malloc(n + 1); /* exact, so that ASan sees reads beyond its end */
        memcpy(part, bytes, n);
        struct mp_reader *r = mp_reader_of_bytes(part, n, &error);
        assert_int_equal(r != NULL, chunks > 0);
        if (r != NULL) {
            assert_int_equal(read_all(r, &m, &c), m.chunk_events[chunks - 1]);
            assert_int_equal(c.read_bytes, m.chunk_bytes[chunks - 1]);
            assert_int_equal(c.ignored_bytes, n - c.read_bytes);
            assert_int_equal(c.status, c.ignored_bytes > 0 ? MP_READ_CUT : MP_READ_UNCLOSED);
        }
        free(part);
    }
    free(bytes);
}

static void a_changed_byte_is_noticed(void **state) {
    static struct model m;
    size_t length;
    int fd = write_profile(&m, 6, 500, true);
    uint8_t *bytes = bytes_of(fd, &length);
    close(fd);
    for (size_t at = 0; at < length; at++) {
        struct mp_read_error error;
        struct mp_coverage c;
        bytes[at] ^= (uint8_t)(1 + dice(255));
        struct mp_reader *r = mp_reader_of_bytes(bytes, length, &error);
        if (r != NULL) {
            size_t chunks = 0;
            while (m.chunk_bytes[chunks] <= at) chunks++;
            assert_int_equal(read_all(r, &m, &c), m.chunk_events[chunks - 1]);
            assert_true(c.status == MP_READ_DAMAGED || c.status == MP_READ_CUT);
        }
        fd = -1;
        free(bytes);
        fd = write_profile(&m, 6, 500, true);
        bytes = bytes_of(fd, &length);
        close(fd);
        if (at > 400) at += 13;
    }
    free(bytes);
}

/* ---- Chunks with right checksums and wrong records. ---- */

static void mutate(uint8_t *bytes, size_t n) {
    static const uint8_t nasty[] = {0,         1, 0x7f, 0x80, 0xff, MP_TAG_STACK, MP_TAG_DEATHS,
                                    MP_TAG_END};
    for (unsigned i = 1 + dice(4); i > 0; i--) {
        size_t at = dice((unsigned)n);
        if (dice(3) == 0) bytes[at] = nasty[dice(sizeof nasty)];
        else if (dice(2) == 0) bytes[at] ^= (uint8_t)(1 << dice(8));
        else memset(bytes + at, 0xff, n - at < 9 ? n - at : 9);
    }
}

/* After each event, the tables to which it refers must be complete. */
static void use_everything(struct mp_reader *r) {
    struct mp_event event;
    uint64_t last = 0;
    while (mp_reader_next(r, &event)) {
        assert_true(event.time_us >= last);
        last = event.time_us;
        if (event.kind == MP_EVENT_SAMPLE) {
            uint32_t depth = mp_reader_stack(r, event.sample.stack)->depth,
                     node = event.sample.stack;
            for (; node != 0; node = mp_reader_stack(r, node)->caller, depth--)
                (void)strlen(mp_reader_location(r, mp_reader_stack(r, node)->location)->file);
            assert_int_equal(depth, 0);
        } else if (event.kind == MP_EVENT_PROMOTED) {
            assert_true(event.promoted.id < mp_reader_sample_count(r));
        } else if (event.kind == MP_EVENT_PHASE_ENTER) {
            (void)strlen(mp_reader_string(r, event.phase.name));
        }
    }
    mp_reader_close(r);
}

static void wrong_records_are_refused_in_order(void **state) {
    static struct model m;
    static uint8_t records[MP_CHUNK_MAX_BYTES], file[2 * MP_CHUNK_MAX_BYTES];
    size_t length;
    struct mp_read_error error;
    int fd = write_profile(&m, 8, 60, true);
    uint8_t *bytes = bytes_of(fd, &length);
    close(fd);
    size_t second = m.chunk_bytes[0];
    const uint8_t *head = bytes + second;
    size_t n = u32_at(head + MP_CHUNK_BYTES), stored = u32_at(head + MP_CHUNK_STORED);
    for (int i = 0; i < 100000; i++) {
        if (head[MP_CHUNK_ENCODING] == MP_ENCODING_NONE)
            memcpy(records, head + MP_CHUNK_HEADER_BYTES, n);
        else
            assert_int_equal(
                ZSTD_decompress(records, sizeof records, head + MP_CHUNK_HEADER_BYTES, stored), n);
        mutate(records, n);
        memcpy(file, bytes, second);
        size_t total = second + put_plain_chunk(file + second, 1, records, n);
        struct mp_reader *r = mp_reader_of_bytes(file, total, &error);
        assert_non_null(r);
        use_everything(r);
    }
    free(bytes);
}

/* A file of version 1 has no threads; one that has is damaged there. */
static void version_1_is_read(void **state) {
    static const uint8_t records[] = {MP_TAG_SMALL_SAMPLE, 1, 2, 0, MP_TAG_THREAD, 1, 1};
    static const uint8_t start[] = {
        MP_TAG_START, 64, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (unsigned version = 0; version <= MP_FORMAT_MAJOR + 1; version++) {
        uint8_t file[256] = MP_FILE_MAGIC;
        struct mp_read_error error;
        struct mp_coverage c;
        struct mp_event event;
        file[8] = (uint8_t)version;
        put_u32(file + 12, (uint32_t)crc32(0, file, 12));
        size_t n = MP_FILE_HEADER_BYTES;
        n += put_plain_chunk(file + n, 0, start, sizeof start);
        n += put_plain_chunk(file + n, 1, records, sizeof records);
        struct mp_reader *r = mp_reader_of_bytes(file, n, &error);
        bool known = version >= MP_FORMAT_OLDEST && version <= MP_FORMAT_MAJOR;
        assert_int_equal(r != NULL, known);
        if (!known) {
            assert_int_equal(error.status, MP_READ_NEWER);
            continue;
        }
        assert_int_equal(mp_reader_version(r), version);
        assert_true(mp_reader_next(r, &event));
        assert_true(event.sample.thread.domain == 0 && event.sample.thread.number == 0);
        assert_false(mp_reader_next(r, &event));
        mp_reader_coverage(r, &c);
        assert_int_equal(c.status, version == 1 ? MP_READ_DAMAGED : MP_READ_UNCLOSED);
        mp_reader_close(r);
    }
}

/* A descriptor that was closed and used again names another file (PW3). */
static void a_file_that_is_not_ours_any_more_is_left_alone(void **state) {
    static struct model m;
    int fd = memfd_create("profile", MFD_CLOEXEC), other = memfd_create("other", MFD_CLOEXEC);
    struct mp_writer *w = mp_writer_create(fd);
    write_start(w);
    mp_writer_flush(w);
    assert_int_equal(dup2(other, fd), fd);
    write_names(w, &m);
    mp_writer_flush(w);
    assert_int_not_equal(mp_writer_problem(w), 0);
    assert_int_equal(lseek(other, 0, SEEK_END), 0);
    mp_writer_free(w);
    close(fd);
    close(other);
}

/* Records that are all alike unpack to a thousand times their size, which a reader refuses. */
static void regular_records_are_not_too_many_for_the_file(void **state) {
    enum { RECORDS = 6000000 };
    struct mp_read_error error;
    struct mp_event event;
    struct mp_coverage c;
    int fd = memfd_create("profile", MFD_CLOEXEC);
    struct mp_writer *w = mp_writer_create(fd);
    write_start(w);
    const struct mp_record_phase_enter enter = {1, 0};
    for (size_t i = 0; i < RECORDS; i++) mp_write_phase_enter(w, &enter);
    mp_writer_flush(w);
    assert_true(mp_writer_file_bytes(w) < RECORDS * 2);
    mp_writer_free(w);
    size_t length;
    uint8_t *bytes = bytes_of(fd, &length);
    close(fd);
    struct mp_reader *r = mp_reader_of_bytes(bytes, length, &error);
    assert_non_null(r);
    while (mp_reader_next(r, &event)) continue;
    mp_reader_coverage(r, &c);
    assert_int_equal(c.status, MP_READ_UNCLOSED);
    assert_int_equal(c.events, RECORDS);
    mp_reader_close(r);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_file_cut_anywhere_gives_its_whole_chunks),
        cmocka_unit_test(a_changed_byte_is_noticed),
        cmocka_unit_test(wrong_records_are_refused_in_order),
        cmocka_unit_test(version_1_is_read),
        cmocka_unit_test(a_file_that_is_not_ours_any_more_is_left_alone),
        cmocka_unit_test(regular_records_are_not_too_many_for_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
