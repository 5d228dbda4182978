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
    struct mp_hit hit; /* but for samples */
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
    struct mp_stream *only;   /* the one that samples, NULL if there are several or none */
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

static __attribute__((noinline)) size_t count_more_hits(const struct mp_sampler *s,
                                                        struct mp_stream *stream, uint64_t *next,
                                                        uint64_t end) {
    uint64_t others = end - *next - 1; /* behind the one at *next */
    size_t hits = 0;
    if (stream->mean_skip == 0) {
        *next = end;
        return others + 1;
    }
    if (others > MANY_WORDS && (double)others * stream->rate > MANY_WORDS) {
        hits = 1 + draw_many(stream, others);
        *next = end + draw_skip(s, stream);
    }
    while (*next < end) {
        hits++;
        *next += 1 + draw_skip(s, stream);
    }
    return hits;
}

/* The hits of the words in [*next, end), where *next is one; moves *next to the first hit behind
 * them. */
static inline size_t count_hits(const struct mp_sampler *s, struct mp_stream *stream,
                                uint64_t *next, uint64_t end) {
    *next += 1 + draw_skip(s, stream);
    if (__builtin_expect(*next >= end, 1)) return 1;
    return 1 + count_more_hits(s, stream, next, end);
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

static inline void arm(struct mp_sampler *s) {
    uint64_t nearest = GC_NO_SAMPLE;
    const struct mp_stream *only = s->only;
    if (only != NULL) {
        if (active(s, only)) nearest = only->next + only->lane->lag;
        gc_set_sample(&s->d->gc, nearest);
        return;
    }
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!active(s, stream)) continue;
        uint64_t at = stream->next + stream->lane->lag;
        if (at < nearest) nearest = at;
    }
    gc_set_sample(&s->d->gc, nearest);
}

/* ---- The collector's hooks. ---- */

/* Notes the streams that hit a block whose last word comes just before the clock `end`. Returns
 * whether one of their clients can be promised a block. */
static inline bool collect_hits(const struct mp_sampler *s, uint64_t end, struct hit_list *hits) {
    bool promising = false;
    hits->count = 0;
    hits->detached = s->detached;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!active(s, stream) || stream->next + stream->lane->lag >= end) continue;
        struct noted *noted = &hits->of[hits->count++];
        noted->stream = stream;
        noted->id = stream->id;
        noted->ticket = 0;
        noted->samples = count_hits(s, stream, &stream->next, end - stream->lane->lag);
        promising |= stream->client->promised != NULL;
    }
    return promising;
}

/* The i-th stream of a list; NULL: it was removed meanwhile. */
static inline struct mp_stream *stream_of(const struct mp_sampler *s, const struct hit_list *hits,
                                          unsigned i) {
    if (hits->detached == s->detached) return hits->of[i].stream;
    struct mp_stream *at = s->streams;
    while (at != NULL && at->id != hits->of[i].id) at = at->next_stream;
    return at;
}

/* Tells the i-th stream of a list of its block, which exists. */
static inline void tell_hit(const struct mp_sampler *s, struct hit_list *hits, unsigned i) {
    struct mp_stream *stream = stream_of(s, hits, i);
    if (stream == NULL || !stream->sampling) return;
    hits->hit.samples = hits->of[i].samples;
    stream->client->hit(stream->context, s->d, &hits->hit);
}

/* Tells the streams of a list that their promised block is v, or (0) will never be. */
static void keep_promise(struct mp_sampler *s, struct hit_list *hits, value v) {
    hits->hit.block = v;
    for (unsigned i = 0; i < hits->count; i++) {
        struct mp_stream *stream = stream_of(s, hits, i);
        if (stream == NULL) continue;
        uint64_t ticket = hits->of[i].ticket;
        if (ticket != 0) stream->client->born(stream->context, ticket, v);
        else if (v != 0 && stream->client->promised == NULL) tell_hit(s, hits, i);
    }
}

/* The block that was promised last was not made if no birth followed: memory was exhausted. */
static void break_promise(struct mp_sampler *s) {
    struct hit_list hits = s->promised;
    s->promised.count = 0;
    keep_promise(s, &hits, 0);
}

/* Asks the client of a stream what it says to a promised block. The block's words are looked at
 * before they are bumped: the clock is ahead by them while the client runs, and what that bumps
 * comes behind. Those of a block that was refused have been looked at all the same. */
static inline value ask(struct mp_sampler *s, struct mp_stream *stream, struct mp_hit *hit,
                        uint64_t *ticket) {
    intptr_t words = (intptr_t)hit->wosize + 1;
    hit->block = 0;
    gc_clock_move(&s->d->gc, words);
    value result = stream->client->promised(stream->context, s->d, hit, ticket);
    if (!is_exn_result(result)) gc_clock_move(&s->d->gc, -words);
    return result;
}

/* A small block of bytecode: clients are told first and may refuse it, by an exception. What they
 * run may allocate, so a nested promise can come and be kept in between. */
static void promise(struct mp_sampler *s, struct hit_list *hits) {
    for (unsigned i = 0; i < hits->count; i++) {
        struct mp_stream *stream = stream_of(s, hits, i);
        /* Stopped by the client before it, or it waits for the birth. */
        if (stream == NULL || !stream->sampling || stream->client->promised == NULL) continue;
        hits->hit.samples = hits->of[i].samples;
        value result = ask(s, stream, &hits->hit, &hits->of[i].ticket);
        if (!is_exn_result(result)) continue;
        hits->count = i;
        keep_promise(s, hits, 0);
        arm(s);
        vm_raise(s->d, exn_of_result(result));
    }
    s->promised.hit = hits->hit;
    s->promised.count = hits->count;
    s->promised.detached = hits->detached;
    for (unsigned i = 0; i < hits->count; i++) s->promised.of[i] = hits->of[i];
    arm(s);
}

/* The same for the only stream, which needs no list. Returns whether it awaits the birth. */
static bool promise_one(struct mp_sampler *s, struct mp_stream *stream, struct mp_hit *hit) {
    struct noted noted = {.stream = stream, .id = stream->id, .samples = hit->samples};
    unsigned detached = s->detached;
    value result = ask(s, stream, hit, &noted.ticket);
    arm(s);
    if (is_exn_result(result)) vm_raise(s->d, exn_of_result(result));
    if (noted.ticket == 0) return false;
    s->promised.count = 1;
    s->promised.detached = detached;
    s->promised.of[0] = noted;
    return true;
}

/* What on_sample does when several streams sample. Returns whether a promise was made. */
static __attribute__((noinline)) bool sample_several(struct mp_sampler *s, uint64_t end,
                                                     const struct mp_hit *hit, bool from_bytecode) {
    struct hit_list hits;
    bool promising = collect_hits(s, end, &hits) && from_bytecode;
    hits.hit = *hit;
    if (promising) {
        promise(s, &hits);
        return true;
    }
    arm(s);
    for (unsigned i = 0; i < hits.count; i++) tell_hit(s, &hits, i);
    return false;
}

static bool on_sample(void *context, struct gc_domain *g, size_t wosize, unsigned tag,
                      bool from_bytecode, value v) {
    struct mp_sampler *s = context;
    struct mp_stream *only = s->only;
    uint64_t end = gc_clock(g) + (from_bytecode ? wosize + 1 : 0);
    struct mp_hit hit = {
        .wosize = wosize,
        .young = true,
        .source = GC_NORMAL,
        .tag = tag,
        /* Where bytecode's block will be if nothing else is allocated first. */
        .block = from_bytecode ? (value)(g->young_ptr - 8 * wosize) : v,
    };
    if (from_bytecode && s->promised.count > 0) break_promise(s);
    if (only == NULL) return sample_several(s, end, &hit, from_bytecode);
    uint64_t lag = only->lane->lag;
    if (!active(s, only) || only->next + lag >= end) {
        arm(s);
        return false;
    }
    hit.samples = count_hits(s, only, &only->next, end - lag);
    if (from_bytecode && only->client->promised != NULL) return promise_one(s, only, &hit);
    gc_set_sample(g, only->next + lag);
    only->client->hit(only->context, s->d, &hit);
    return false;
}

static void on_born(void *context, struct gc_domain *g, value v) {
    struct mp_sampler *s = context;
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
        stream->client->hit(stream->context, s->d, &hit);
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

/* Another set of streams samples now. */
static void sampling_changed(struct mp_sampler *s) {
    s->only = NULL;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!stream->sampling) continue;
        if (s->only != NULL) {
            s->only = NULL;
            break;
        }
        s->only = stream;
    }
    arm(s);
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
    sampling_changed(s);
}

void mp_stream_stop(struct mp_sampler *s, struct mp_stream *stream) {
    stream->sampling = false;
    sampling_changed(s);
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
