/* sampler.h - which allocated words are sampled: independent trials, one stream for each client.
 *
 * Every allocated word, header included, is a Bernoulli(rate) trial of each active stream; a *hit*
 * is a trial that succeeds. A stream draws which word it hits next. The nearest hit of all streams
 * is folded into the allocation limit of the minor heap, so allocation needs no additional test
 * (gc/hooks.h). Words that bytecode allocates by moving young_ptr are *bumped*.
 *
 *     young_ptr                                   direction of allocation ->
 *        | next of stream B |
 *        |            next of stream A           |
 *        |<---------------->| the collector's sample trigger is here, or nearer
 *
 * MS1  For every active stream, next is the word of its next hit, on the clock of its lane: the
 *      collector's clock minus the words allocated while the lane was suspended (lag). The client
 *      is notified of every word that is hit; the trigger may fire early, without effect.
 * MS2  Words that are not bumped one block at a time (large blocks, unmarshalled blocks, memory
 *      outside the heap) are counted by carry, the number of such words before the next hit.
 * MS3  A stream whose lane is suspended sees no word.
 * MS4  A client that accepts a promised block is notified of its birth, or that it will never
 *      exist. Clients without promised() are notified only of blocks that exist. */
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
    bool young;  /* born in the minor heap */
    value block; /* its fields are not yet set; 0 while it is promised */
};

/* A client of the sampler. Only promised() may allocate in the heap. */
struct mp_client {
    /* A block was hit that exists, or (for clients without promised) is about to exist. Runs no
     * OCaml code. */
    void (*hit)(void *context, struct domain *d, const struct mp_hit *hit);
    /* A promised block: bytecode is about to allocate it, and it was hit. May run OCaml code, and
     * returns an exception as exn_result to cancel the allocation, otherwise VAL_UNIT. *ticket is
     * the client's name for the block; 0: it needs no call of born(). NULL: the client is notified
     * by hit() of blocks that no other client refused. */
    value (*promised)(void *context, struct domain *d, const struct mp_hit *hit, uint64_t *ticket);
    /* A promised block exists now, or (block 0) never will. Goes with promised. */
    void (*born)(void *context, uint64_t ticket, value block);
    /* domain.sample while this client's stream is the only one that samples. Without promised:
     * mp_sample_existing. */
    value (*fast_sample)(struct domain *d, size_t wosize, unsigned tag);
    /* Memory outside the heap counts once, however many blocks it is charged to. */
    bool counts_once;
    /* As in gc/hooks.h; each may be NULL, mark_done and inspect, outlived and released only
     * together. */
    void (*outlived)(void *context, value v, const void *key);
    void (*released)(void *context, const void *key);
    void (*minor_done)(void *context, struct gc_domain *g);
    size_t (*mark_done)(void *context, struct gc_domain *g);
    size_t (*inspect)(void *context, struct gc_domain *g, size_t budget);
    void (*activity)(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                     size_t words);
    /* The machine is destroyed, its heap already gone: frees the context. NULL: the stream is
     * detached before. */
    void (*close)(void *context);
};

/* Streams of one lane are suspended together. */
struct mp_lane {
    unsigned suspended; /* > 0: MS3 */
    uint64_t since;     /* the clock when it was suspended */
    uint64_t lag;       /* words allocated during earlier suspensions; MS1 */
};

struct mp_stream {
    struct mp_stream *next_stream;
    const struct mp_client *client;
    void *context;
    struct mp_lane *lane;
    uint64_t id; /* unique among all streams of the sampler, past ones included */
    double rate;
    double mean_skip;     /* -1 / log(1 - rate); 0 for rate 1 */
    bool sampling;        /* takes trials (rate > 0, not stopped, not away) */
    bool away;            /* takes none until mp_stream_return; it was sampling */
    bool rounds_up;       /* memory outside the heap: bytes / 8 rounded up (5.x), not down */
    uint64_t next, carry; /* MS1, MS2 */
    uint64_t random;      /* the state of its generator */
};

/* The sampler of a machine's domain, made at the first call and installed as vm->profiler.state;
 * it is freed with the machine. NULL when out of memory. GC: never. */
struct mp_sampler *mp_sampler_of(struct domain *d);

/* Adds a stream for a client, not sampling yet; the client is notified of collections until the
 * stream is detached. seed: streams with different seeds are independent. GC: never. */
void mp_stream_attach(struct mp_sampler *s, struct mp_stream *stream, struct mp_lane *lane,
                      const struct mp_client *client, void *context, uint64_t seed);
/* Removes a stream, which may be sampling. GC: never. */
void mp_stream_detach(struct mp_sampler *s, struct mp_stream *stream);
/* Whether one more stream may sample: their number is limited. GC: never. */
bool mp_sampler_has_room(const struct mp_sampler *s);
/* Starts sampling with 0 <= rate <= 1, and ends it. Needs: mp_sampler_has_room. GC: never. */
void mp_stream_start(struct mp_sampler *s, struct mp_stream *stream, double rate);
void mp_stream_stop(struct mp_sampler *s, struct mp_stream *stream);
/* Between the two calls a stream that is sampling takes no trials; the distance to its next hit is
 * drawn again, which changes no probability. No effect on others. GC: never. */
void mp_stream_leave(struct mp_sampler *s, struct mp_stream *stream);
void mp_stream_return(struct mp_sampler *s, struct mp_stream *stream);
/* client.fast_sample of clients that take no promises. GC: never. */
value mp_sample_existing(struct domain *d, size_t wosize, unsigned tag);
/* Makes room for the block of wosize words whose instruction is now re-executed, and notifies the
 * stream's client of the birth. GC: may run. Fails: raises Out_of_memory; the client is notified
 * later that there is no block. */
void mp_deliver_promised(struct mp_sampler *s, struct mp_stream *stream, uint64_t ticket,
                         size_t wosize);
/* No stream takes trials between the two calls, which nest: allocation in between is the profiler's
 * own. GC: never. */
void mp_sampler_pause(struct mp_sampler *s);
void mp_sampler_unpause(struct mp_sampler *s);

#endif
