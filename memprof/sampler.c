/* sampler.c - skips, streams, and the collector's hooks (memprof/sampler.h). */
#include "memprof/sampler.h"

#include "memprof/random.h"
#include "vm/domain.h"
#include "vm/raise.h"

#include <math.h>
#include <stdlib.h>

/* Distances beyond this are cut: no program allocates as many words. */
#define FAR ((uint64_t)1 << 59)

/* Streams that a block hit, noted before any client runs: clients may change the list. */
enum { MAX_SAMPLING = 16, MANY_WORDS = 1 << 20 };
struct hit_list {
    unsigned count;
    unsigned detached; /* the sampler's, when the streams were noted */
    struct noted {
        struct mp_stream *stream;
        uint64_t id; /* the stream's; 0: none any more */
        size_t samples;
        uint64_t ticket;
    } of[MAX_SAMPLING];
};

struct mp_sampler {
    struct domain *d;
    struct mp_stream *streams;
    struct hit_list promised; /* whose block the collector is about to make */
    uint64_t external_words;  /* charged outside the heap */
    unsigned paused;          /* > 0: every stream is suspended */
    uint64_t paused_at;       /* the clock that stands still then */
    unsigned detached;        /* streams that were removed so far */
    uint64_t last_id;
    struct mp_exponential exponential;
    struct gc_hooks hooks;
};

/* ---- Trials. ---- */

/* Failures before the next success of trials with the stream's rate: geometric, from 0, as the
 * whole part of an exponential variable. */
static inline uint64_t draw_skip(const struct mp_sampler *s, struct mp_stream *stream) {
    double skip = mp_exponential(&s->exponential, &stream->random) * stream->mean_skip;
    return skip < (double)FAR ? (uint64_t)(int64_t)skip : FAR;
}

/* How many of so many trials hit that counting them would take long: their number is distributed as
 * a normal variable, but for less than a thousandth of its deviation. */
static uint64_t draw_many(struct mp_stream *stream, uint64_t words) {
    double mean = (double)words * stream->rate, deviation = sqrt(mean * (1 - stream->rate));
    double radius = sqrt(-2 * log(mp_uniform(&stream->random)));
    double normal = radius * cos(2 * M_PI * mp_uniform(&stream->random));
    double hits = floor(mean + deviation * normal + 0.5);
    return hits < 0 ? 0 : hits < (double)words ? (uint64_t)hits : words;
}

/* The hits of the words in [*next, end), where *next is one; moves *next to the first hit behind
 * them. */
static inline size_t count_hits(const struct mp_sampler *s, struct mp_stream *stream,
                                uint64_t *next, uint64_t end) {
    size_t hits = 0;
    if (__builtin_expect(end - *next > MANY_WORDS, 0) &&
        (double)(end - *next) * stream->rate > MANY_WORDS) {
        hits = 1 + (stream->mean_skip == 0 ? end - *next - 1 : draw_many(stream, end - *next - 1));
        *next = end + draw_skip(s, stream);
    }
    while (*next < end) {
        hits++;
        *next += 1 + draw_skip(s, stream);
    }
    return hits;
}

/* ---- Clocks, and arming. ---- */

static inline bool active(const struct mp_sampler *s, const struct mp_stream *stream) {
    return stream->sampling && stream->lane->suspended == 0 && s->paused == 0;
}

static inline uint64_t clock_of(const struct mp_sampler *s) {
    return s->paused > 0 ? s->paused_at : gc_clock(&s->d->gc);
}

/* The time of a lane now; MS1. */
static uint64_t lane_clock(const struct mp_sampler *s, const struct mp_lane *lane) {
    return (lane->suspended > 0 ? lane->since : clock_of(s)) - lane->lag;
}

static void arm(struct mp_sampler *s) {
    uint64_t nearest = GC_NO_SAMPLE;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!active(s, stream)) continue;
        uint64_t at = stream->next + stream->lane->lag;
        if (at < nearest) nearest = at;
    }
    gc_set_sample(&s->d->gc, nearest);
}

/* ---- The collector's hooks. ---- */

/* Notes the streams that hit a block whose last word comes just before the clock `end`. */
static inline void collect_hits(const struct mp_sampler *s, uint64_t end, struct hit_list *hits) {
    hits->count = 0;
    hits->detached = s->detached;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!active(s, stream) || stream->next + stream->lane->lag >= end) continue;
        struct noted *noted = &hits->of[hits->count++];
        noted->stream = stream;
        noted->id = stream->id;
        noted->samples = count_hits(s, stream, &stream->next, end - stream->lane->lag);
    }
}

/* The i-th stream of a list; NULL: it was removed meanwhile. */
static inline struct mp_stream *stream_of(const struct mp_sampler *s, const struct hit_list *hits,
                                          unsigned i) {
    if (hits->detached == s->detached) return hits->of[i].stream;
    struct mp_stream *at = s->streams;
    while (at != NULL && at->id != hits->of[i].id) at = at->next_stream;
    return at;
}

/* Tells the streams of a list that their promised block is v, or (0) will never be. */
static void keep_promise(struct mp_sampler *s, const struct hit_list *hits, value v) {
    for (unsigned i = 0; i < hits->count; i++) {
        struct mp_stream *stream = hits->of[i].ticket == 0 ? NULL : stream_of(s, hits, i);
        if (stream != NULL) stream->client->born(stream->context, hits->of[i].ticket, v);
    }
}

/* The block that was promised last was not made if no birth followed: memory was exhausted. */
static void break_promise(struct mp_sampler *s) {
    struct hit_list hits = s->promised;
    s->promised.count = 0;
    keep_promise(s, &hits, 0);
}

/* A small block of bytecode: clients are told first and may refuse it, by an exception. What they
 * run may allocate, so a nested promise can come and be kept in between. Returns whether one of
 * them waits for the birth. */
static bool promise(struct mp_sampler *s, struct hit_list *hits, struct mp_hit *hit) {
    unsigned awaiting = 0;
    for (unsigned i = 0; i < hits->count; i++) {
        struct mp_stream *stream = stream_of(s, hits, i);
        hits->of[i].ticket = 0;
        if (stream == NULL || !stream->sampling) continue; /* stopped by the client before it */
        hit->samples = hits->of[i].samples;
        value result = stream->client->hit(stream->context, s->d, hit, &hits->of[i].ticket);
        awaiting += hits->of[i].ticket != 0;
        if (!is_exn_result(result)) continue;
        hits->count = i;
        keep_promise(s, hits, 0);
        arm(s);
        vm_raise(s->d, exn_of_result(result));
    }
    if (awaiting == 0) return false;
    s->promised.count = hits->count;
    s->promised.detached = hits->detached;
    for (unsigned i = 0; i < hits->count; i++) s->promised.of[i] = hits->of[i];
    return true;
}

/* The words of a promised block are looked at before they are bumped: the clock is ahead by them
 * while clients run, and what those bump comes behind. */
static bool on_sample(void *context, struct gc_domain *g, size_t wosize, unsigned tag,
                      bool from_bytecode, value v) {
    struct mp_sampler *s = context;
    intptr_t words = (intptr_t)wosize + 1;
    bool awaiting = false;
    struct hit_list hits;
    struct mp_hit hit = {
        .wosize = wosize,
        .young = true,
        .source = GC_NORMAL,
        .tag = tag,
        .promised = from_bytecode,
        .block = v,
    };
    if (from_bytecode) gc_clock_move(g, words);
    collect_hits(s, gc_clock(g), &hits);
    if (from_bytecode) {
        if (s->promised.count > 0) break_promise(s);
        if (hits.count > 0) awaiting = promise(s, &hits, &hit);
        gc_clock_move(g, -words);
        arm(s);
        return awaiting;
    }
    arm(s);
    for (unsigned i = 0; i < hits.count; i++) {
        struct mp_stream *stream = stream_of(s, &hits, i);
        hit.samples = hits.of[i].samples;
        stream->client->hit(stream->context, s->d, &hit, &hits.of[i].ticket);
    }
    return false;
}

static void on_born(void *context, struct gc_domain *g, value v) {
    struct mp_sampler *s = context;
    unsigned count = s->promised.count;
    if (count == 0) return;
    keep_promise(s, &s->promised, v);
    s->promised.count = 0;
}

static uint64_t trials_of(const struct mp_stream *stream, size_t size, enum gc_source source) {
    if (source != GC_CUSTOM) return (uint64_t)size + 1;
    return stream->rounds_up ? (size + 7) / 8 : size / 8;
}

static void on_allocated(void *context, struct gc_domain *g, value v, size_t size,
                         enum gc_source source) {
    struct mp_sampler *s = context;
    if (source == GC_CUSTOM) s->external_words += size / 8;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!active(s, stream)) continue;
        uint64_t trials = trials_of(stream, size, source);
        size_t samples = stream->carry < trials ? count_hits(s, stream, &stream->carry, trials) : 0;
        stream->carry -= trials;
        if (samples == 0) continue;
        struct mp_hit hit = {
            .wosize = source == GC_CUSTOM ? trials : size,
            .samples = samples,
            .source = source,
            .tag = tag_of(v),
            .young = gc_is_young(g, v),
            .block = v,
        };
        uint64_t ticket;
        stream->client->hit(stream->context, s->d, &hit, &ticket);
    }
}

static void on_minor_done(void *context, struct gc_domain *g) {
    struct mp_sampler *s = context;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        stream->client->minor_done(stream->context, g);
}

static void on_mark_done(void *context, struct gc_domain *g) {
    struct mp_sampler *s = context;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        stream->client->mark_done(stream->context, g);
}

static void on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                        size_t words) {
    struct mp_sampler *s = context;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        if (stream->client->activity != NULL)
            stream->client->activity(stream->context, g, what, begins, words);
}

/* ---- Streams. ---- */

struct mp_sampler *mp_sampler_create(struct domain *d) {
    struct mp_sampler *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->d = d;
    mp_exponential_create(&s->exponential);
    s->hooks = (struct gc_hooks){
        .context = s,
        .sample = on_sample,
        .born = on_born,
        .allocated = on_allocated,
        .minor_done = on_minor_done,
        .mark_done = on_mark_done,
        .activity = on_activity,
    };
    return s;
}

void mp_stream_attach(struct mp_sampler *s, struct mp_stream *stream, struct mp_lane *lane,
                      const struct mp_client *client, void *context, uint64_t seed) {
    *stream = (struct mp_stream){
        .client = client, .context = context, .lane = lane, .id = ++s->last_id};
    stream->random = mp_random_seed(seed);
    if (s->streams == NULL) gc_set_hooks(&s->d->gc, &s->hooks);
    struct mp_stream **end = &s->streams;
    while (*end != NULL) end = &(*end)->next_stream;
    *end = stream;
}

void mp_stream_detach(struct mp_sampler *s, struct mp_stream *stream) {
    mp_stream_stop(s, stream);
    struct mp_stream **at = &s->streams;
    while (*at != stream) at = &(*at)->next_stream;
    *at = stream->next_stream;
    s->detached++;
    if (s->streams == NULL) gc_set_hooks(&s->d->gc, NULL);
}

bool mp_sampler_has_room(const struct mp_sampler *s) {
    unsigned sampling = 0;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        sampling += stream->sampling;
    return sampling < MAX_SAMPLING;
}

void mp_stream_start(struct mp_sampler *s, struct mp_stream *stream, double rate) {
    double log_of_failure = log1p(-rate);
    stream->rate = rate;
    stream->mean_skip = rate < 1 ? -1 / log_of_failure : 0;
    stream->sampling = rate == 1 || (rate > 0 && isfinite(stream->mean_skip));
    if (stream->sampling) {
        stream->next = lane_clock(s, stream->lane) + draw_skip(s, stream);
        stream->carry = draw_skip(s, stream);
    }
    arm(s);
}

void mp_stream_stop(struct mp_sampler *s, struct mp_stream *stream) {
    stream->sampling = false;
    arm(s);
}

uint64_t mp_sampler_external_words(const struct mp_sampler *s) { return s->external_words; }

/* The trigger stays where it is: at most it comes for nothing. */
void mp_lane_suspend(struct mp_sampler *s, struct mp_lane *lane) {
    if (lane->suspended++ == 0) lane->since = clock_of(s);
}

void mp_lane_resume_in_hit(struct mp_sampler *s, struct mp_lane *lane) {
    if (--lane->suspended == 0) lane->lag += clock_of(s) - lane->since;
}

void mp_lane_resume(struct mp_sampler *s, struct mp_lane *lane) {
    mp_lane_resume_in_hit(s, lane);
    arm(s);
}

void mp_sampler_pause(struct mp_sampler *s) {
    if (s->paused++ == 0) s->paused_at = gc_clock(&s->d->gc);
}

void mp_sampler_unpause(struct mp_sampler *s) {
    if (--s->paused > 0) return;
    gc_clock_move(&s->d->gc, (intptr_t)(s->paused_at - gc_clock(&s->d->gc)));
    arm(s);
}
