/* sampler.h - which allocated words are sampled: independent trials, one stream for each client.
 *
 * Every allocated word, header included, is a Bernoulli(rate) trial of each active stream. A stream
 * draws which word it hits next; the nearest hit of all streams is folded into the young area's
 * limit, so allocation itself tests nothing new (gc/hooks.h).
 *
 *     young_ptr                                   allocation goes this way ->
 *        | next of stream B |
 *        |            next of stream A           |
 *        |<---------------->| the collector's trigger stands here, or nearer
 *
 * MS1  For every active stream, next is the word of its next hit, in the time of its lane: the
 *      collector's clock without the words that came while the lane was suspended (lag). A word
 *      that is hit is never bumped unseen; the trigger may come too early, for nothing.
 * MS2  Words that are not bumped one block at a time (large blocks, unmarshalled ones, memory
 *      outside the heap) are counted by carry, the number of such words before the next hit.
 * MS3  A stream whose lane is suspended sees no word.
 * MS4  Whoever was told of a promised block hears of its birth, or that there will be none. Clients
 *      that take no promises hear only of blocks that are born. */
#ifndef BACTRIAN_MEMPROF_SAMPLING_SAMPLER_H
#define BACTRIAN_MEMPROF_SAMPLING_SAMPLER_H

#include "gc/hooks.h"

#include <stddef.h>
#include <stdint.h>

struct domain;
struct mp_sampler;

/* A block that was hit. */
struct mp_hit {
    size_t wosize;  /* words without header; of GC_CUSTOM: words of memory outside the heap */
    size_t samples; /* how many of its words were hit */
    enum gc_source source;
    unsigned tag;
    bool young;  /* born in the young area */
    value block; /* where it is, its fields not yet set; 0 while it is promised */
};

/* A client of the sampler; its functions never allocate in the heap, but for promised(). */
struct mp_client {
    /* A block that exists was hit, or (without promised) one that is about to. Runs no OCaml
     * code. */
    void (*hit)(void *context, struct domain *d, const struct mp_hit *hit);
    /* A block of bytecode was hit and doesn't exist yet. May run OCaml code, and returns an
     * exception as exn_result to cancel the allocation, otherwise VAL_UNIT. *ticket is the client's
     * name for the block, 0: it need not hear of the birth. NULL: the client is told by hit() of
     * blocks that no other client refused. */
    value (*promised)(void *context, struct domain *d, const struct mp_hit *hit, uint64_t *ticket);
    /* A promised block exists now, or (block 0) never will; for clients that have promised. */
    void (*born)(void *context, uint64_t ticket, value block);
    /* The machine's domain.sample while this client's stream is the only one that samples. Without
     * promised: mp_hit_quickly. */
    value (*quickly)(struct domain *d, size_t wosize, unsigned tag);
    /* These as in gc/hooks.h; all but the first may be NULL, look with mark_done. */
    void (*minor_done)(void *context, struct gc_domain *g);
    size_t (*mark_done)(void *context, struct gc_domain *g);
    size_t (*look)(void *context, struct gc_domain *g, size_t budget);
    void (*activity)(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                     size_t words);
};

/* Streams of one lane are suspended together. */
struct mp_lane {
    unsigned suspended; /* > 0: MS3 */
    uint64_t since;     /* the clock when it was suspended */
    uint64_t lag;       /* words that came while it was suspended before; MS1 */
};

struct mp_stream {
    struct mp_stream *next_stream;
    const struct mp_client *client;
    void *context;
    struct mp_lane *lane;
    uint64_t id; /* unlike that of any other stream of the sampler, ever */
    double rate;
    double mean_skip;     /* -1 / log(1 - rate); 0 for rate 1 */
    bool sampling;        /* takes trials (rate > 0, not stopped) */
    bool rounds_up;       /* memory outside the heap: bytes / 8 rounded up (5.x), not down */
    uint64_t next, carry; /* MS1, MS2 */
    uint64_t random;      /* the state of its generator */
};

/* The sampler of a machine's domain; released with free once the heap is gone. NULL: no memory.
 * GC: never. */
struct mp_sampler *mp_sampler_create(struct domain *d);

/* Adds a stream for a client, not sampling yet; it hears of collections until it is detached.
 * seed: streams with different seeds are independent. GC: never. */
void mp_stream_attach(struct mp_sampler *s, struct mp_stream *stream, struct mp_lane *lane,
                      const struct mp_client *client, void *context, uint64_t seed);
/* Removes a stream, which may be sampling. GC: never. */
void mp_stream_detach(struct mp_sampler *s, struct mp_stream *stream);
/* Whether one more stream may sample: there is a limit. */
bool mp_sampler_has_room(const struct mp_sampler *s);
/* Starts sampling with 0 <= rate <= 1, and ends it. Needs: mp_sampler_has_room. GC: never. */
void mp_stream_start(struct mp_sampler *s, struct mp_stream *stream, double rate);
void mp_stream_stop(struct mp_sampler *s, struct mp_stream *stream);
/* What client.quickly is for clients that take no promises. GC: never. */
value mp_hit_quickly(struct domain *d, size_t wosize, unsigned tag);
/* Makes room for the block of wosize words whose instruction now starts again after a detour, and
 * tells the stream's client that it is born. GC: may run. Fails: raises Out_of_memory; then the
 * client will hear that there is none. */
void mp_bear(struct mp_sampler *s, struct mp_stream *stream, uint64_t ticket, size_t wosize);
/* Words of memory outside the heap charged to blocks so far, while a stream was attached. */
uint64_t mp_sampler_external_words(const struct mp_sampler *s);
/* No trials of the lane's streams between the two calls, which nest. GC: never. */
void mp_lane_suspend(struct mp_sampler *s, struct mp_lane *lane);
void mp_lane_resume(struct mp_sampler *s, struct mp_lane *lane);
/* The same for all streams at once: what happens in between is the profiler's own. */
void mp_sampler_pause(struct mp_sampler *s);
void mp_sampler_unpause(struct mp_sampler *s);

#endif
