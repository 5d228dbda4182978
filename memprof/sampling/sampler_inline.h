/* sampler_inline.h - the sampler's state, and the inline functions that every sample passes
 * through: for this room, and for program/profile.c, whose callbacks begin and end within a
 * sample. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_SAMPLER_INLINE_H
#define BACTRIAN_MEMPROF_SAMPLING_SAMPLER_INLINE_H

#include "gc/assert.h"
#include "memprof/sampling/random.h"
#include "memprof/sampling/sampler.h"
#include "vm/state/domain.h"

struct mp_program;
struct mp_recorder;
struct mp_counts;

/* Distances are cut to this: no program allocates as many words. */
#define MP_FAR ((uint64_t)1 << 59)

/* The streams that a block hit, listed before any client runs: clients may change the streams. */
enum { MAX_SAMPLING = 16 };
struct mp_hit_list {
    struct mp_hit hit; /* its samples are those of each stream in turn */
    unsigned count;
    unsigned detached; /* the sampler's, when the list was made */
    struct mp_listed_hit {
        struct mp_stream *stream;
        uint64_t id; /* the stream's */
        size_t samples;
        uint64_t ticket;
    } of[MAX_SAMPLING];
};

struct mp_sampler {
    struct domain *d;
    struct mp_stream *streams;
    struct mp_stream *only;      /* the one that samples, NULL if there are several or none */
    struct mp_hit_list promised; /* of the block that the collector is about to make */
    uint64_t external_words; /* outside the heap, charged to blocks while a stream was attached */
    unsigned paused;         /* > 0: every stream is suspended */
    uint64_t paused_at;      /* the clock, which is stopped then */
    unsigned detached;       /* streams that were removed so far */
    uint64_t last_id;
    struct mp_exponential exponential;
    struct gc_hooks hooks;
    /* What the rooms above keep for the machine; NULL: not in use. */
    struct mp_program *program; /* freed with the sampler */
    struct mp_recorder *recorder;
    struct mp_counts *counts;
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

/* The hit of a block in the minor heap. */
static inline struct mp_hit mp_bumped_hit(size_t wosize, size_t samples, unsigned tag,
                                          value block) {
    return (struct mp_hit){wosize, samples, GC_NORMAL, tag, true, block};
}

/* The rest of mp_count_hits when there is more than one. */
size_t mp_count_more_hits(const struct mp_sampler *s, struct mp_stream *stream, uint64_t *next,
                          uint64_t end);
/* The hits of the words in [*next, end), where *next is one; moves *next to the first hit from end
 * on. */
static inline size_t mp_count_hits(const struct mp_sampler *s, struct mp_stream *stream,
                                   uint64_t *next, uint64_t end) {
    ASSERT(*next < end);
    *next += 1 + mp_draw_skip(s, stream);
    if (__builtin_expect(*next >= end, 1)) return 1;
    return 1 + mp_count_more_hits(s, stream, next, end);
}

/* The hits of that many trials of words that are not bumped (MS2). */
static inline size_t mp_count_carried_hits(const struct mp_sampler *s, struct mp_stream *stream,
                                           uint64_t trials) {
    size_t hits = stream->carry < trials ? mp_count_hits(s, stream, &stream->carry, trials) : 0;
    ASSERT(stream->carry >= trials);
    stream->carry -= trials;
    return hits;
}

/* The same for the words in [stream->next, end) if there is one hit only and its skip is drawn
 * without a slow path. False: otherwise, and nothing has changed. */
static inline bool mp_hit_once(const struct mp_sampler *s, struct mp_stream *stream, uint64_t end) {
    uint64_t random = stream->random;
    unsigned layer;
    double x;
    ASSERT(stream->next < end);
    if (!mp_exponential_point(&s->exponential, &random, &layer, &x)) return false;
    uint64_t next = stream->next + 1 + mp_skip_of(stream, x);
    if (__builtin_expect(next < end, 0)) return false;
    stream->random = random;
    stream->next = next;
    return true;
}

/* Whether the stream takes trials now (MS3). */
static inline bool mp_is_active(const struct mp_sampler *s, const struct mp_stream *stream) {
    return stream->sampling && stream->lane->suspended == 0 && s->paused == 0;
}

/* The clock, which is stopped while the sampler is paused. */
static inline uint64_t mp_clock(const struct mp_sampler *s) {
    return s->paused > 0 ? s->paused_at : gc_clock(&s->d->gc);
}

/* Puts the trigger at the nearest hit (MS1). */
static inline void mp_set_trigger(struct mp_sampler *s) {
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

/* No trials of the lane's streams between the two calls, which nest. The trigger stays: at most it
 * fires without effect. After the second mp_set_trigger must follow before the machine
 * continues. */
static inline void mp_lane_suspend(const struct mp_sampler *s, struct mp_lane *lane) {
    if (lane->suspended++ == 0) lane->since = mp_clock(s);
}
static inline void mp_lane_resume(const struct mp_sampler *s, struct mp_lane *lane) {
    ASSERT(lane->suspended > 0);
    if (--lane->suspended == 0) {
        ASSERT(mp_clock(s) >= lane->since); /* MS1: lag only grows */
        lane->lag += mp_clock(s) - lane->since;
    }
}

/* Whether the only stream that samples hits the next block, of wosize words; *end is then the clock
 * of its lane after the block. False also when the slow path must decide. */
static inline bool mp_only_hits(const struct mp_sampler *s, size_t wosize, uint64_t *end) {
    const struct mp_stream *only = s->only;
    const struct mp_lane *lane = only->lane;
    ASSERT(only->sampling);
    if ((lane->suspended | s->paused | s->promised.count) != 0) return false;
    *end = gc_clock(&s->d->gc) - lane->lag + wosize + 1;
    return only->next < *end;
}

/* While the client handles a promised block, the clock is ahead by the block's words: their trials
 * are done, and what is bumped meanwhile comes after them. */
static inline void mp_hold_block(struct domain *d, size_t wosize) {
    gc_clock_move(&d->gc, (intptr_t)wosize + 1);
}
static inline void mp_release_block(struct domain *d, size_t wosize) {
    gc_clock_move(&d->gc, -(intptr_t)wosize - 1);
}

#endif
