/* sampler.c - skips, streams, and the collector's hooks (memprof/sampler.h). */
#include "memprof/sampler.h"

#include "vm/domain.h"
#include "vm/raise.h"

#include <math.h>
#include <stdlib.h>

/* Distances beyond this are cut: no program allocates as many words. */
#define FAR ((uint64_t)1 << 61)

/* Streams that a block hit, noted before any client runs: clients may change the list. */
enum { MAX_SAMPLING = 16, MANY_HITS = 1 << 22 };
struct hit_list {
    unsigned count;
    struct {
        uint64_t id; /* the stream's; 0: none any more */
        size_t samples;
        uint64_t ticket;
    } of[MAX_SAMPLING];
};

struct mp_sampler {
    struct domain *d;
    struct mp_stream *streams;
    uint64_t armed;           /* MS1; FAR: no stream samples */
    struct hit_list promised; /* whose block the collector is about to make */
    uint64_t external_words;  /* charged outside the heap */
    unsigned paused;          /* > 0: every stream is suspended */
    uint64_t last_id;
    struct gc_hooks hooks;
};

/* ---- Randomness: xoshiro256** (Blackman and Vigna), seeded by splitmix64. ---- */

static uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }

static uint64_t next_random(uint64_t s[4]) {
    uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

static void seed_random(uint64_t s[4], uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        s[i] = z ^ z >> 31;
    }
}

/* Uniform in (0, 1). */
static double draw_uniform(struct mp_stream *stream) {
    return ((double)(next_random(stream->random) >> 11) + 0.5) * 0x1p-53;
}

/* Failures before the next success of trials with the stream's rate: geometric, from 0, by
 * inversion of a uniform variable. */
static uint64_t draw_skip(struct mp_stream *stream) {
    if (stream->inverse_log == 0) return 0;
    double skip = log(draw_uniform(stream)) * stream->inverse_log;
    return skip < (double)FAR ? (uint64_t)skip : FAR;
}

/* How many of so many trials hit that counting them would take long: their number is distributed as
 * a normal variable, but for less than a thousandth of its deviation. */
static uint64_t draw_many(struct mp_stream *stream, uint64_t words) {
    double mean = (double)words * stream->rate, deviation = sqrt(mean * (1 - stream->rate));
    double radius = sqrt(-2 * log(draw_uniform(stream)));
    double normal = radius * cos(2 * M_PI * draw_uniform(stream));
    double hits = floor(mean + deviation * normal + 0.5);
    return hits < 0 ? 0 : hits < (double)words ? (uint64_t)hits : words;
}

/* How many of `words` trials hit, of which the first is *skip trials away; moves *skip behind
 * them. */
static size_t count_hits(struct mp_stream *stream, uint64_t *skip, uint64_t words) {
    size_t hits = 0;
    if (stream->inverse_log == 0 && *skip < words) {
        hits = words - *skip; /* rate 1 */
        *skip = words;
    } else if (*skip < words && (double)(words - *skip) * stream->rate > MANY_HITS) {
        hits = 1 + draw_many(stream, words - *skip - 1);
        *skip = words + draw_skip(stream);
    }
    while (*skip < words) {
        hits++;
        *skip += 1 + draw_skip(stream);
    }
    *skip -= words;
    return hits;
}

/* ---- Arming. ---- */

static bool active(const struct mp_sampler *s, const struct mp_stream *stream) {
    return stream->sampling && stream->lane->suspended == 0 && s->paused == 0;
}

/* Takes the words bumped since arming off every active stream's distance. ahead: words of a block
 * that was bumped already but is still to be looked at. */
static void sync(struct mp_sampler *s, uint64_t ahead) {
    if (s->armed == FAR) return;
    uint64_t passed = s->armed - (uint64_t)(gc_sample_remaining(&s->d->gc) + (intptr_t)ahead);
    if (passed == 0) return;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        if (active(s, stream)) stream->next -= passed;
    s->armed -= passed;
}

static void arm(struct mp_sampler *s) {
    s->armed = FAR;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        if (active(s, stream) && stream->next < s->armed) s->armed = stream->next;
    gc_set_sample_trigger(&s->d->gc, s->armed == FAR ? SIZE_MAX : (size_t)s->armed);
}

/* Puts words that the coming block will bump in front of every distance. */
static void put_ahead(struct mp_sampler *s, uint64_t words) {
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        if (active(s, stream)) stream->next += words;
}

/* ---- The collector's hooks. ---- */

static void collect_hits(struct mp_sampler *s, uint64_t words, struct hit_list *hits) {
    hits->count = 0;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!active(s, stream)) continue;
        size_t samples = count_hits(stream, &stream->next, words);
        if (samples == 0) continue;
        hits->of[hits->count].id = stream->id;
        hits->of[hits->count++].samples = samples;
    }
}

static void copy_hits(struct hit_list *to, const struct hit_list *from) {
    to->count = from->count;
    for (unsigned i = 0; i < from->count; i++) to->of[i] = from->of[i];
}

static struct mp_stream *stream_of(const struct mp_sampler *s, uint64_t id) {
    struct mp_stream *at = s->streams;
    while (at != NULL && at->id != id) at = at->next_stream;
    return at;
}

/* Tells the streams of a list that their promised block is v, or (0) will never be. */
static void keep_promise(struct mp_sampler *s, const struct hit_list *hits, value v) {
    for (unsigned i = 0; i < hits->count; i++) {
        struct mp_stream *stream = stream_of(s, hits->of[i].id);
        if (stream != NULL) stream->client->born(stream->context, hits->of[i].ticket, v);
    }
}

/* A small block of bytecode: clients are told first and may refuse it, by an exception. What they
 * run may allocate, so a nested promise can come and be kept in between. */
static void promise(struct mp_sampler *s, struct hit_list *hits, struct mp_hit *hit) {
    for (unsigned i = 0; i < hits->count; i++) {
        struct mp_stream *stream = stream_of(s, hits->of[i].id);
        if (stream == NULL || !stream->sampling) {
            hits->of[i].id = 0; /* stopped by the client before it */
            continue;
        }
        hit->samples = hits->of[i].samples;
        value result = stream->client->hit(stream->context, s->d, hit, &hits->of[i].ticket);
        if (!is_exn_result(result)) continue;
        hits->count = i;
        keep_promise(s, hits, 0);
        arm(s);
        vm_raise(s->d, exn_of_result(result));
    }
    copy_hits(&s->promised, hits);
}

/* The block that was promised last was not made if no birth followed: memory was exhausted. */
static void break_promise(struct mp_sampler *s) {
    struct hit_list hits;
    copy_hits(&hits, &s->promised);
    s->promised.count = 0;
    keep_promise(s, &hits, 0);
}

static void on_sample(void *context, struct gc_domain *g, size_t wosize, unsigned tag,
                      bool from_bytecode, value v) {
    struct mp_sampler *s = context;
    struct hit_list hits;
    struct mp_hit hit = {
        .wosize = wosize,
        .young = true,
        .source = GC_NORMAL,
        .tag = tag,
        .promised = from_bytecode,
        .block = v,
    };
    sync(s, from_bytecode ? 0 : wosize + 1);
    collect_hits(s, wosize + 1, &hits);
    if (from_bytecode) {
        if (s->promised.count > 0) break_promise(s);
        promise(s, &hits, &hit);
        sync(s, 0);
        put_ahead(s, wosize + 1);
        arm(s);
        return;
    }
    arm(s);
    for (unsigned i = 0; i < hits.count; i++) {
        struct mp_stream *stream = stream_of(s, hits.of[i].id);
        hit.samples = hits.of[i].samples;
        stream->client->hit(stream->context, s->d, &hit, &hits.of[i].ticket);
    }
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
        size_t samples = count_hits(stream, &stream->carry, trials);
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
    s->armed = FAR;
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
    seed_random(stream->random, seed);
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
    if (s->streams == NULL) gc_set_hooks(&s->d->gc, NULL);
}

bool mp_sampler_has_room(const struct mp_sampler *s) {
    unsigned sampling = 0;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        sampling += stream->sampling;
    return sampling < MAX_SAMPLING;
}

void mp_stream_start(struct mp_sampler *s, struct mp_stream *stream, double rate) {
    sync(s, 0);
    double log_of_failure = log1p(-rate);
    stream->rate = rate;
    stream->inverse_log = rate < 1 ? 1 / log_of_failure : 0;
    stream->sampling = rate == 1 || (rate > 0 && isfinite(stream->inverse_log));
    if (stream->sampling) {
        stream->next = draw_skip(stream);
        stream->carry = draw_skip(stream);
    }
    arm(s);
}

void mp_stream_stop(struct mp_sampler *s, struct mp_stream *stream) {
    sync(s, 0);
    stream->sampling = false;
    arm(s);
}

/* Changes how often something is suspended. */
static void change(struct mp_sampler *s, unsigned *suspended, int by) {
    sync(s, 0);
    *suspended += (unsigned)by;
    arm(s);
}

uint64_t mp_sampler_external_words(const struct mp_sampler *s) { return s->external_words; }

void mp_lane_suspend(struct mp_sampler *s, struct mp_lane *lane) { change(s, &lane->suspended, 1); }
void mp_lane_resume(struct mp_sampler *s, struct mp_lane *lane) { change(s, &lane->suspended, -1); }
void mp_lane_resume_in_hit(struct mp_sampler *s, struct mp_lane *lane) {
    sync(s, 0);
    lane->suspended--;
}
void mp_sampler_pause(struct mp_sampler *s) { change(s, &s->paused, 1); }
void mp_sampler_unpause(struct mp_sampler *s) { change(s, &s->paused, -1); }
