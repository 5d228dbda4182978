/* board.c - see board.h. Samples that are alive are in an open hash table by their numbers. */
#include "memprof/report/live/board.h"

#include "gc/assert.h"
#include "memprof/format/reader.h"
#include "memprof/report/live/rings.h"
#include "memprof/report/load/load.h"
#include "memprof/report/model/text.h"
#include "memprof/report/query/query.h"

#include <errno.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 13 }; /* on the C stack */

/* A sample that is alive. */
struct alive {
    uint64_t id;        /* plus 1; 0: a free slot */
    uint64_t old_since; /* in the major heap, in microseconds; UINT64_MAX: it is young */
    uint32_t site, hits;
    bool proven;
};

struct site {
    char *name;
    double allocated, live, uncollected; /* hits; live: proven */
    double marked_allocated, marked_uncollected;
    struct report_ring allocated_ring, live_ring;
};

struct report_board {
    int fd;
    const char *name;
    struct mp_reader *reader;   /* NULL: there is no complete chunk yet */
    struct report_buffer bytes; /* of the file, from `base` on */
    uint64_t base;
    struct report_model *model; /* names and locations only */
    struct report_numbers locations, sites_of_nodes, sites_of_locations;
    REPORT_VECTOR(struct site) sites;
    struct alive *alive;
    size_t slots, alive_count;
    struct report_ring allocated; /* words */
    struct report_seconds seconds;
    struct report_pauses pauses;
    struct mp_counters first, counters;
    bool has_counters, marked;
    uint64_t time_us, resident, before_words, samples;
    uint64_t cost_ns, process_ns;
    double live_hits, uncollected_hits;
    const char *outcome;
};

/* ---- Samples that are alive. ---- */

static size_t slot_of(const struct report_board *b, uint64_t id) {
    size_t i = report_hash_number(id) & (b->slots - 1);
    while (b->alive[i].id != 0 && b->alive[i].id != id + 1) i = (i + 1) & (b->slots - 1);
    return i;
}

static void make_slots(struct report_board *b) {
    struct alive *old = b->alive;
    size_t count = b->slots;
    if (2 * (b->alive_count + 1) <= count) return;
    b->slots = count == 0 ? 1024 : 2 * count;
    b->alive = report_alloc(b->slots * sizeof *b->alive);
    for (size_t i = 0; i < count; i++)
        if (old[i].id != 0) b->alive[slot_of(b, old[i].id - 1)] = old[i];
    free(old);
}

/* Moves those that follow, so that a search from their hash finds them before a free slot. */
static void free_slot(struct report_board *b, size_t i) {
    const size_t mask = b->slots - 1;
    for (size_t j = (i + 1) & mask; b->alive[j].id != 0; j = (j + 1) & mask) {
        size_t home = report_hash_number(b->alive[j].id - 1) & mask;
        if (((j - home) & mask) < ((j - i) & mask)) continue;
        b->alive[i] = b->alive[j];
        i = j;
    }
    b->alive[i].id = 0;
    b->alive_count--;
}

/* ---- Sites. ---- */

static uint32_t site_of_location(struct report_board *b, uint32_t location) {
    while (b->sites_of_locations.count <= location)
        report_append(&b->sites_of_locations, REPORT_NO_NUMBER);
    uint32_t *site = &b->sites_of_locations.at[location];
    if (*site == REPORT_NO_NUMBER) {
        *site = (uint32_t)b->sites.count;
        struct site new = {.name = report_location_text(b->model, location)};
        report_append(&b->sites, new);
    }
    return *site;
}

static void map_locations(struct report_board *b) {
    const size_t count = (size_t)mp_reader_location_count(b->reader) + 1;
    if (b->locations.count == 0) report_append(&b->locations, 0);
    while (b->locations.count < count)
        report_append(
            &b->locations,
            report_map_location(b->model, mp_reader_location(b->reader, b->locations.count)));
}

/* The site of a call stack: that of its innermost frame that is not of a library. */
static uint32_t site_of_stack(struct report_board *b, uint32_t number) {
    struct report_numbers *sites = &b->sites_of_nodes;
    const size_t count = (size_t)mp_reader_stack_count(b->reader) + 1;
    if (number < sites->count) return sites->at[number];
    map_locations(b);
    if (sites->count == 0) report_append(sites, site_of_location(b, 0));
    while (sites->count < count) {
        const struct mp_stack_node *node = mp_reader_stack(b->reader, (uint32_t)sites->count);
        ASSERT(node->caller < sites->count && node->location < b->locations.count);
        uint32_t location = b->locations.at[node->location];
        bool folds = node->caller != 0 && report_is_library(b->model, location);
        report_append(sites, folds ? sites->at[node->caller] : site_of_location(b, location));
    }
    return sites->at[number];
}

/* ---- Events. ---- */

static void add_sample(struct report_board *b, const struct mp_sample *s) {
    if (s->source == MP_SOURCE_FIBER) return;
    make_slots(b);
    const uint64_t recorded = s->samples < UINT32_MAX ? s->samples * s->weight : UINT32_MAX;
    const uint32_t hits = recorded > UINT32_MAX ? UINT32_MAX : (uint32_t)recorded;
    struct alive new = {.id = s->id + 1,
                        .old_since = s->young ? UINT64_MAX : b->time_us,
                        .site = site_of_stack(b, s->stack),
                        .hits = hits};
    b->alive[slot_of(b, s->id)] = new;
    b->alive_count++;
    b->samples++;
    b->sites.at[new.site].allocated += hits;
    b->sites.at[new.site].uncollected += hits;
    b->uncollected_hits += hits;
}

static void add_death(struct report_board *b, uint64_t id) {
    if (b->slots == 0) return;
    size_t i = slot_of(b, id);
    const struct alive *a = &b->alive[i];
    if (a->id == 0) return; /* a fiber */
    struct site *site = &b->sites.at[a->site];
    site->uncollected -= a->hits;
    b->uncollected_hits -= a->hits;
    if (a->proven) {
        site->live -= a->hits;
        b->live_hits -= a->hits;
    }
    free_slot(b, i);
}

/* A marking is over: what was in the major heap when it began, and is left, is live. */
static void prove(struct report_board *b, uint64_t began_us) {
    for (size_t i = 0; i < b->slots; i++) {
        struct alive *a = &b->alive[i];
        if (a->id == 0 || a->proven || a->old_since > began_us) continue;
        a->proven = true;
        b->sites.at[a->site].live += a->hits;
        b->live_hits += a->hits;
    }
}

static double allocated_words(const struct mp_counters *c) {
    return (double)(c->minor_words - c->promoted_words) + (double)c->major_words +
           (double)c->external_words;
}

/* Fills the rings up to the time of an event. */
static void pass_time(struct report_board *b, uint64_t us) {
    const uint32_t second = (uint32_t)(us / 1000000), last = b->seconds.now;
    b->time_us = us;
    if (second <= last) return;
    b->seconds.now = second;
    if (second - b->seconds.first > REPORT_RING_SECONDS)
        b->seconds.first = second - REPORT_RING_SECONDS;
    report_ring_put(&b->allocated, last, second, allocated_words(&b->counters));
    report_each(s, &b->sites) {
        report_ring_put(&s->allocated_ring, last, second, s->allocated);
        report_ring_put(&s->live_ring, last, second, s->live);
    }
}

static void add_event(struct report_board *b, const struct mp_event *event) {
    pass_time(b, event->time_us);
    switch (event->kind) {
    case MP_EVENT_SAMPLE: add_sample(b, &event->sample); break;
    case MP_EVENT_PROMOTED:
        if (b->slots > 0) b->alive[slot_of(b, event->promoted.id)].old_since = b->time_us;
        break;
    case MP_EVENT_DIED: add_death(b, event->died.id); break;
    case MP_EVENT_BEFORE: b->before_words = event->before.words; break;
    case MP_EVENT_PAUSE:
        if (event->pause.owner == MP_PAUSE_PROGRAM)
            report_pauses_put(&b->pauses, (int64_t)b->time_us,
                              (double)event->pause.duration_ns / 1e9);
        break;
    case MP_EVENT_MARKING: prove(b, b->time_us - event->marking.duration); break;
    case MP_EVENT_RESIDENT: b->resident = event->resident.bytes; break;
    case MP_EVENT_COUNTERS:
        b->counters = event->counters;
        if (!b->has_counters) {
            b->first = event->counters;
            b->allocated.at[b->seconds.now % (REPORT_RING_SECONDS + 1)] = allocated_words(
                &b->first);
        }
        b->has_counters = true;
        break;
    case MP_EVENT_COST:
        b->cost_ns = event->cost.overhead_ns;
        b->process_ns = event->cost.process_ns;
        break;
    case MP_EVENT_FINISH: b->outcome = report_outcome_word(event->finish.outcome); break;
    default: break;
    }
}

/* ---- The file. ---- */

/* Appends what the file has beyond the bytes that are there; drops those that were read. */
static void read_bytes(struct report_board *b) {
    struct mp_coverage coverage = {.read_bytes = 0};
    if (b->reader != NULL) mp_reader_coverage(b->reader, &coverage);
    size_t done = (size_t)(coverage.read_bytes > b->base ? coverage.read_bytes - b->base : 0);
    if (done > 0) {
        memmove(b->bytes.data, b->bytes.data + done, b->bytes.length - done);
        b->bytes.length -= done;
        b->base += done;
    }
    for (ssize_t n = 1; n > 0;) {
        unsigned char part[READ_BYTES];
        n = pread(b->fd, part, sizeof part, (off_t)(b->base + b->bytes.length));
        if (n < 0 && errno == EINTR) n = 1;
        else if (n > 0) report_put(&b->bytes, part, (size_t)n);
    }
}

static int refuse(const struct report_board *b, struct report_error *error,
                  enum mp_read_status status, const char *detail) {
    return report_fail(error, b->name, "`bactrian prof check` gives details", "%s%s%s",
                       mp_read_status_text(status), detail[0] != 0 ? ", " : "", detail);
}

/* Opens the reader when the first chunk is complete. Returns whether there is one, or -1. */
static int start_reader(struct report_board *b, struct report_error *error) {
    struct mp_read_error why = {.status = MP_READ_CUT};
    if (b->reader != NULL) return 1;
    if (b->bytes.length > 0) b->reader = mp_reader_of_bytes(b->bytes.data, b->bytes.length, &why);
    if (b->reader != NULL) return 1;
    bool waits = why.status == MP_READ_CUT || why.status == MP_READ_UNCLOSED ||
                 b->bytes.length < MP_FILE_HEADER_BYTES;
    return waits ? 0 : refuse(b, error, why.status, why.detail);
}

int report_board_read(struct report_board *b, struct report_error *error) {
    struct mp_event event;
    struct mp_coverage coverage;
    read_bytes(b);
    int started = start_reader(b, error);
    if (started <= 0) return started;
    mp_reader_extend(b->reader, b->bytes.data, b->base, b->bytes.length);
    while (mp_reader_next(b->reader, &event)) add_event(b, &event);
    mp_reader_coverage(b->reader, &coverage);
    bool damaged = coverage.status == MP_READ_DAMAGED || coverage.status >= MP_READ_EXPANDS;
    return damaged ? refuse(b, error, coverage.status, coverage.detail) : 0;
}

struct report_board *report_board_open(int fd, const char *name) {
    struct report_board *b = report_alloc(sizeof *b);
    b->fd = fd;
    b->name = name;
    b->model = report_model_create();
    b->outcome = "";
    return b;
}

void report_board_close(struct report_board *b) {
    if (b == NULL) return;
    mp_reader_close(b->reader);
    report_each(s, &b->sites) free(s->name);
    report_model_free(b->model);
    report_free(b->bytes.data, b->locations.at, b->sites_of_nodes.at, b->sites_of_locations.at,
                b->sites.at, b->alive, b);
}

/* ---- Sums. ---- */

static double bytes_of(const struct report_board *b, double hits) {
    return b->reader == NULL ? 0 : hits * 8 / mp_reader_start(b->reader)->rate;
}

void report_board_figures(const struct report_board *b, struct report_board_figures *out) {
    const struct mp_counters *c = &b->counters, *first = &b->first;
    const double minor = (double)(c->minor_words - first->minor_words);
    *out = (struct report_board_figures){
        .seconds = (double)b->time_us / 1e6,
        .heap = 8.0 * (double)c->heap_words,
        .resident = (double)b->resident,
        .before = 8.0 * (double)b->before_words,
        .external = 8.0 * (double)(c->external_words - first->external_words),
        .uncollected = bytes_of(b, b->uncollected_hits),
        .rate = 8 * report_ring_rate(&b->allocated, &b->seconds, REPORT_RATE_SECONDS),
        .promoted = minor > 0 ? (double)(c->promoted_words - first->promoted_words) / minor : 0,
        .cost = b->process_ns > 0 ? (double)b->cost_ns / (double)b->process_ns : -1,
        .samples = b->samples,
        .program = b->reader == NULL ? "" : mp_reader_start(b->reader)->program.bytes,
        .outcome = b->outcome,
    };
    if (b->reader != NULL) {
        const struct report_scale scale = {.rate = mp_reader_start(b->reader)->rate,
                                           .word_bytes = 8};
        const struct report_sum sum = {.samples = (uint64_t)b->live_hits,
                                       .hits = (uint64_t)b->live_hits};
        out->live = report_estimate_bytes(&scale, &sum);
    }
    out->pauses = report_pauses_read(&b->pauses, (int64_t)b->time_us - 60000000, &out->p50_seconds,
                                     &out->p99_seconds);
}

void report_board_mark(struct report_board *b, bool on) {
    b->marked = on;
    report_each(s, &b->sites) {
        s->marked_allocated = on ? s->allocated : 0;
        s->marked_uncollected = on ? s->uncollected : 0;
    }
}

/* The largest first. */
REPORT_COMPARE(by_live, struct report_board_site,
               report_order(y->live, x->live) ?: report_order(y->rate, x->rate))
REPORT_COMPARE(by_difference, struct report_board_site,
               report_order(y->since_live, x->since_live) ?: report_order(y->rate, x->rate))

size_t report_board_sites(struct report_board *b, struct report_board_site *out, size_t most) {
    struct report_board_site *all = report_alloc((b->sites.count + 1) * sizeof *all);
    size_t n = 0;
    report_each(s, &b->sites)
        if (s->allocated > 0)
            all[n++] = (struct report_board_site){
                .name = s->name,
                .rate = bytes_of(
                    b, report_ring_rate(&s->allocated_ring, &b->seconds, REPORT_RATE_SECONDS)),
                .live = bytes_of(b, s->live),
                .growth = bytes_of(
                    b, 60 * report_ring_rate(&s->live_ring, &b->seconds, REPORT_RING_SECONDS)),
                .since_allocated = bytes_of(b, s->allocated - s->marked_allocated),
                .since_live = bytes_of(b, s->uncollected - s->marked_uncollected),
            };
    qsort(all, n, sizeof *all, b->marked ? by_difference : by_live);
    if (n > most) n = most;
    memcpy(out, all, n * sizeof *all);
    free(all);
    return n;
}
