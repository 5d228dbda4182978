/* sampler_internal.h - what every sample passes through: for sampler.c, and for profile.c, whose
 * callbacks begin and end in the midst of a sample. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_SAMPLER_INTERNAL_H
#define BACTRIAN_MEMPROF_SAMPLING_SAMPLER_INTERNAL_H

#include "memprof/sampling/random.h"
#include "memprof/sampling/sampler.h"
#include "vm/state/domain.h"

/* Distances beyond this are cut: no program allocates as many words. */
#define MP_FAR ((uint64_t)1 << 59)

/* Streams that a block hit, noted before any client runs: clients may change the list. */
enum { MAX_SAMPLING = 16 };
struct mp_hit_list {
    struct mp_hit hit; /* but for samples */
    unsigned count;
    unsigned detached; /* the sampler's, when the streams were noted */
    struct mp_noted {
        struct mp_stream *stream;
        uint64_t id; /* the stream's; 0: none any more */
        size_t samples;
        uint64_t ticket;
    } of[MAX_SAMPLING];
};

struct mp_sampler {
    struct domain *d;
    struct mp_stream *streams;
    struct mp_stream *only;      /* the one that samples, NULL if there are several or none */
    struct mp_hit_list promised; /* whose block the collector is about to make */
    uint64_t external_words;     /* charged outside the heap */
    unsigned paused;             /* > 0: every stream is suspended */
    uint64_t paused_at;          /* the clock that stands still then */
    unsigned detached;           /* streams that were removed so far */
    uint64_t last_id;
    struct mp_exponential exponential;
    struct gc_hooks hooks;
};

/* Failures before the next success of trials with the stream's rate: geometric, from 0, as the
 * whole part of an exponential variable. */
static inline uint64_t mp_skip_of(const struct mp_stream *stream, double exponential) {
    double skip = exponential * stream->mean_skip;
    return skip < (double)MP_FAR ? (uint64_t)(int64_t)skip : MP_FAR;
}
static inline uint64_t mp_draw_skip(const struct mp_sampler *s, struct mp_stream *stream) {
    return mp_skip_of(stream, mp_exponential(&s->exponential, &stream->random));
}

/* What is left of mp_count_hits where there are more than one. */
size_t mp_count_more_hits(const struct mp_sampler *s, struct mp_stream *stream, uint64_t *next,
                          uint64_t end);
/* The hits of the words in [*next, end), where *next is one; moves *next to the first hit behind
 * them. */
static inline size_t mp_count_hits(const struct mp_sampler *s, struct mp_stream *stream,
                                   uint64_t *next, uint64_t end) {
    *next += 1 + mp_draw_skip(s, stream);
    if (__builtin_expect(*next >= end, 1)) return 1;
    return 1 + mp_count_more_hits(s, stream, next, end);
}

/* The same for the words in [stream->next, end) where a single hit is quickly drawn. False: it is
 * not, and nothing has happened. */
static inline bool mp_hit_once(const struct mp_sampler *s, struct mp_stream *stream, uint64_t end) {
    uint64_t random = stream->random;
    unsigned layer;
    double x;
    if (!mp_exponential_point(&s->exponential, &random, &layer, &x)) return false;
    uint64_t next = stream->next + 1 + mp_skip_of(stream, x);
    if (__builtin_expect(next < end, 0)) return false;
    stream->random = random;
    stream->next = next;
    return true;
}

/* Whether the stream takes trials just now (MS3). */
static inline bool mp_is_active(const struct mp_sampler *s, const struct mp_stream *stream) {
    return stream->sampling && stream->lane->suspended == 0 && s->paused == 0;
}

/* The clock, which stands still while the sampler is paused. */
static inline uint64_t mp_clock(const struct mp_sampler *s) {
    return s->paused > 0 ? s->paused_at : gc_clock(&s->d->gc);
}

/* Puts the trigger where the nearest hit is (MS1). */
static inline void mp_arm(struct mp_sampler *s) {
    uint64_t nearest = GC_NO_SAMPLE;
    const struct mp_stream *only = s->only;
    if (only != NULL) {
        if (mp_is_active(s, only)) nearest = only->next + only->lane->lag;
        gc_set_sample(&s->d->gc, nearest);
        return;
    }
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!mp_is_active(s, stream)) continue;
        uint64_t at = stream->next + stream->lane->lag;
        if (at < nearest) nearest = at;
    }
    gc_set_sample(&s->d->gc, nearest);
}

/* Suspends a lane, takes that back. */
static inline void mp_suspend(const struct mp_sampler *s, struct mp_lane *lane) {
    if (lane->suspended++ == 0) lane->since = mp_clock(s);
}
/* mp_arm must follow before the machine runs on. */
static inline void mp_resume(const struct mp_sampler *s, struct mp_lane *lane) {
    if (--lane->suspended == 0) lane->lag += mp_clock(s) - lane->since;
}

/* Whether the only stream that samples hits the next block, of wosize words: then *end is the time
 * of its lane behind the block. False also when that is not the whole story. */
static inline bool mp_only_hits(const struct mp_sampler *s, size_t wosize, uint64_t *end) {
    const struct mp_stream *only = s->only;
    const struct mp_lane *lane = only->lane;
    if ((lane->suspended | s->paused | s->promised.count) != 0) return false;
    *end = gc_clock(&s->d->gc) - lane->lag + wosize + 1;
    return only->next < *end;
}

/* While the client of the only stream that samples has a promised block in hand, the clock is ahead
 * by the block's words: they were looked at already, and what is bumped meanwhile comes behind
 * them. */
static inline void mp_hold_block(struct domain *d, size_t wosize) {
    gc_clock_move(&d->gc, (intptr_t)wosize + 1);
}
static inline void mp_release_block(struct domain *d, size_t wosize) {
    gc_clock_move(&d->gc, -(intptr_t)wosize - 1);
}

#endif
