/* sampler.c - skips, streams, and the collector's hooks (memprof/sampling/sampler.h). */
#include "memprof/sampling/sampler_inline.h"
#include "vm/engine/slow.h"
#include "vm/stack/raise.h"
#include "vm/state/vm.h"

#include <math.h>
#include <stdlib.h>

/* ---- Trials. ---- */

/* Among more words than this, hits are not drawn one by one. */
enum { NORMAL_APPROXIMATION_WORDS = 1 << 20 };

/* The number of hits among many words, drawn from the normal approximation of the binomial
 * distribution, whose error is below 0.001 standard deviations. */
static uint64_t draw_many(struct mp_stream *stream, uint64_t words) {
    double mean = (double)words * stream->rate, deviation = sqrt(mean * (1 - stream->rate));
    double radius = sqrt(-2 * log(mp_uniform(&stream->random)));
    double normal = radius * cos(2 * M_PI * mp_uniform(&stream->random));
    double hits = floor(mean + deviation * normal + 0.5);
    return hits < 0 ? 0 : hits < (double)words ? (uint64_t)hits : words;
}

size_t mp_count_more_hits(const struct mp_sampler *s, struct mp_stream *stream, uint64_t *next,
                          uint64_t end) {
    uint64_t others = end - *next - 1; /* after the one at *next */
    size_t hits = 0;
    ASSERT(*next < end);
    if (stream->mean_skip == 0) {
        *next = end;
        return others + 1;
    }
    if (others > NORMAL_APPROXIMATION_WORDS &&
        (double)others * stream->rate > NORMAL_APPROXIMATION_WORDS) {
        hits = 1 + draw_many(stream, others);
        *next = end + mp_draw_skip(s, stream);
    }
    while (*next < end) {
        hits++;
        *next += 1 + mp_draw_skip(s, stream);
    }
    ASSERT(hits > 0 && hits <= others + 1);
    return hits;
}

/* The clock of a lane; MS1. */
static uint64_t lane_clock(const struct mp_sampler *s, const struct mp_lane *lane) {
    return (lane->suspended > 0 ? lane->since : mp_clock(s)) - lane->lag;
}

/* ---- Lists of hits. ---- */

/* Lists the streams that hit a block whose last word comes just before the clock `end`. Returns
 * whether one of their clients takes promises. */
static inline bool collect_hits(const struct mp_sampler *s, uint64_t end,
                                struct mp_hit_list *hits) {
    bool promising = false;
    hits->count = 0;
    hits->detached = s->detached;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!mp_is_active(s, stream) || stream->next + stream->lane->lag >= end) continue;
        ASSERT(hits->count < MAX_SAMPLING);
        hits->of[hits->count++] = (struct mp_listed_hit){
            .stream = stream,
            .id = stream->id,
            .samples = mp_count_hits(s, stream, &stream->next, end - stream->lane->lag),
        };
        promising |= stream->client->promised != NULL;
    }
    return promising;
}

/* The i-th stream of a list; NULL: it was removed meanwhile. */
static inline struct mp_stream *stream_of(const struct mp_sampler *s,
                                          const struct mp_hit_list *hits, unsigned i) {
    ASSERT(i < hits->count);
    if (hits->detached == s->detached) return hits->of[i].stream;
    struct mp_stream *at = s->streams;
    while (at != NULL && at->id != hits->of[i].id) at = at->next_stream;
    return at;
}

/* Notifies the i-th stream of a list of its block, which exists. */
static inline void report_hit(const struct mp_sampler *s, struct mp_hit_list *hits, unsigned i) {
    struct mp_stream *stream = stream_of(s, hits, i);
    if (stream == NULL || !stream->sampling) return;
    hits->hit.samples = hits->of[i].samples;
    stream->client->hit(stream->context, s->d, &hits->hit);
}

/* ---- Promised blocks. ---- */

/* Notifies the streams of a list that their promised block is v, or (0) will never exist (MS4). */
static void resolve_promise(struct mp_sampler *s, struct mp_hit_list *hits, value v) {
    hits->hit.block = v;
    for (unsigned i = 0; i < hits->count; i++) {
        struct mp_stream *stream = stream_of(s, hits, i);
        if (stream == NULL) continue;
        uint64_t ticket = hits->of[i].ticket;
        if (ticket != 0) stream->client->born(stream->context, ticket, v);
        else if (v != 0 && stream->client->promised == NULL) report_hit(s, hits, i);
    }
}

/* Called when no birth followed the last promise: memory was exhausted, the block will not
 * exist. */
static void cancel_promise(struct mp_sampler *s) {
    struct mp_hit_list hits = s->promised;
    s->promised.count = 0;
    resolve_promise(s, &hits, 0);
}

/* Notifies the clients of a small block of bytecode before it exists; each may refuse it by an
 * exception. The words of a refused block count as trials, too. A client may allocate, so promises
 * can nest. */
static void promise(struct mp_sampler *s, struct mp_hit_list *hits) {
    hits->hit.block = 0;
    for (unsigned i = 0; i < hits->count; i++) {
        struct mp_stream *stream = stream_of(s, hits, i);
        /* The previous client may have stopped it, or it waits for the birth. */
        if (stream == NULL || !stream->sampling || stream->client->promised == NULL) continue;
        hits->hit.samples = hits->of[i].samples;
        mp_hold_block(s->d, hits->hit.wosize);
        value result = stream->client->promised(stream->context, s->d, &hits->hit,
                                                &hits->of[i].ticket);
        if (!is_exn_result(result)) {
            mp_release_block(s->d, hits->hit.wosize);
            continue;
        }
        hits->count = i;
        resolve_promise(s, hits, 0);
        mp_set_trigger(s);
        vm_raise(s->d, exn_of_result(result));
    }
    s->promised.hit = hits->hit;
    s->promised.count = hits->count;
    s->promised.detached = hits->detached;
    for (unsigned i = 0; i < hits->count; i++) s->promised.of[i] = hits->of[i];
    mp_set_trigger(s);
}

void mp_deliver_promised(struct mp_sampler *s, struct mp_stream *stream, uint64_t ticket,
                         size_t wosize) {
    ASSERT(ticket != 0 && s->promised.count == 0);
    s->promised.count = 1;
    s->promised.detached = s->detached;
    s->promised.of[0] = (struct mp_listed_hit){
        .stream = stream, .id = stream->id, .ticket = ticket};
    s->d->promised_block = gc_prepare_small(&s->d->gc, wosize);
    s->promised.count = 0;
    stream->client->born(stream->context, ticket, s->d->promised_block);
}

/* ---- The collector's hooks. ---- */

/* on_sample when several streams sample or a client takes promises. Returns whether a promise was
 * made. */
static __attribute__((noinline)) bool sample_several(struct mp_sampler *s, uint64_t end,
                                                     const struct mp_hit *hit, bool from_bytecode) {
    struct mp_hit_list hits;
    bool promising = collect_hits(s, end, &hits) && from_bytecode;
    hits.hit = *hit;
    if (promising) {
        promise(s, &hits);
        return true;
    }
    mp_set_trigger(s);
    for (unsigned i = 0; i < hits.count; i++) report_hit(s, &hits, i);
    return false;
}

static bool on_sample(void *context, struct gc_domain *g, size_t wosize, unsigned tag,
                      bool from_bytecode, value v) {
    struct mp_sampler *s = context;
    struct mp_stream *only = s->only;
    uint64_t end = gc_clock(g) + (from_bytecode ? wosize + 1 : 0);
    /* Where bytecode's block will be if nothing else is allocated first. */
    if (from_bytecode) v = (value)(g->young_ptr - 8 * wosize);
    struct mp_hit hit = mp_bumped_hit(wosize, 0, tag, v);
    if (from_bytecode && s->promised.count > 0) cancel_promise(s);
    if (only == NULL || (from_bytecode && only->client->promised != NULL))
        return sample_several(s, end, &hit, from_bytecode);
    uint64_t lag = only->lane->lag;
    if (!mp_is_active(s, only) || only->next + lag >= end) {
        mp_set_trigger(s);
        return false;
    }
    hit.samples = mp_count_hits(s, only, &only->next, end - lag);
    gc_set_sample(g, only->next + lag);
    only->client->hit(only->context, s->d, &hit);
    return false;
}

value mp_sample_existing(struct domain *d, size_t wosize, unsigned tag) {
    struct mp_sampler *s = d->sampler;
    struct mp_stream *only = s->only;
    uint64_t end;
    if (!mp_only_hits(s, wosize, &end)) return vm_slow_alloc(d, wosize, tag);
    size_t samples = mp_count_hits(s, only, &only->next, end);
    struct mp_hit hit = mp_bumped_hit(wosize, samples, tag, gc_bump(&d->gc, wosize, tag));
    ASSERT(only->client->promised == NULL);
    gc_set_sample(&d->gc, only->next + only->lane->lag);
    only->client->hit(only->context, d, &hit);
    return hit.block;
}

static void on_born(void *context, struct gc_domain *g, value v) {
    struct mp_sampler *s = context;
    ASSERT(v != 0);
    resolve_promise(s, &s->promised, v);
    s->promised.count = 0;
}

static uint64_t trials_of(const struct mp_stream *stream, size_t size, enum gc_source source) {
    if (source != GC_CUSTOM) return (uint64_t)size + 1;
    return stream->rounds_up ? (size + 7) / 8 : size / 8;
}

static void on_allocated(void *context, struct gc_domain *g, value v, size_t size,
                         enum gc_source source) {
    struct mp_sampler *s = context;
    bool again = source == GC_CUSTOM_AGAIN;
    if (source == GC_CUSTOM) s->external_words += size / 8;
    if (again) source = GC_CUSTOM;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream) {
        if (!mp_is_active(s, stream) || (again && stream->client->counts_once)) continue;
        uint64_t trials = trials_of(stream, size, source);
        size_t samples = mp_count_carried_hits(s, stream, trials);
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

static void on_outlived(void *context, value v, const void *key) {
    const struct mp_sampler *s = context;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        if (stream->client->outlived != NULL) stream->client->outlived(stream->context, v, key);
}

static void on_released(void *context, const void *key) {
    const struct mp_sampler *s = context;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        if (stream->client->released != NULL) stream->client->released(stream->context, key);
}

static void on_minor_done(void *context, struct gc_domain *g) {
    struct mp_sampler *s = context;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        if (stream->client->minor_done != NULL) stream->client->minor_done(stream->context, g);
}

static size_t on_mark_done(void *context, struct gc_domain *g) {
    struct mp_sampler *s = context;
    size_t work = 0;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        if (stream->client->mark_done != NULL)
            work += stream->client->mark_done(stream->context, g);
    return work;
}

static size_t on_inspect(void *context, struct gc_domain *g, size_t budget) {
    struct mp_sampler *s = context;
    struct mp_stream *stream = s->streams;
    size_t done = 0;
    for (; stream != NULL && done < budget; stream = stream->next_stream)
        if (stream->client->mark_done != NULL)
            done += stream->client->inspect(stream->context, g, budget - done);
    return done;
}

static void on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                        size_t words) {
    struct mp_sampler *s = context;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = stream->next_stream)
        if (stream->client->activity != NULL)
            stream->client->activity(stream->context, g, what, begins, words);
}

/* ---- Streams. ---- */

static void close_sampler(void *state) {
    struct mp_sampler *s = state;
    struct mp_stream *next;
    for (struct mp_stream *stream = s->streams; stream != NULL; stream = next) {
        next = stream->next_stream;
        if (stream->client->close != NULL) stream->client->close(stream->context);
    }
    free(s->program);
    free(s);
}

struct mp_sampler *mp_sampler_of(struct domain *d) {
    if (d->sampler != NULL) return d->sampler;
    struct mp_sampler *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->d = d;
    d->sampler = s;
    mp_exponential_create(&s->exponential);
    s->hooks = (struct gc_hooks){
        .context = s,
        .sample = on_sample,
        .born = on_born,
        .allocated = on_allocated,
        .outlived = on_outlived,
        .released = on_released,
        .minor_done = on_minor_done,
        .mark_done = on_mark_done,
        .inspect = on_inspect,
        .activity = on_activity,
    };
    d->vm->profiler = (struct vm_profiler){.state = s, .close = close_sampler};
    return s;
}

void mp_stream_attach(struct mp_sampler *s, struct mp_stream *stream, struct mp_lane *lane,
                      const struct mp_client *client, void *context, uint64_t seed) {
    ASSERT(client->hit != NULL && client->fast_sample != NULL);
    ASSERT((client->promised == NULL) == (client->born == NULL));
    ASSERT((client->mark_done == NULL) == (client->inspect == NULL));
    ASSERT((client->outlived == NULL) == (client->released == NULL));
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
        sampling += stream->sampling || stream->away;
    return sampling < MAX_SAMPLING;
}

/* Called when the set of streams that sample has changed. */
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
    /* Re-execution would change the running function unnoticed (vm/code/function_id.h). */
    bool fast = s->only != NULL && !s->d->vm->options.track_functions;
    s->d->sample = fast ? s->only->client->fast_sample : vm_slow_alloc;
    mp_set_trigger(s);
}

static void begin_trials(struct mp_sampler *s, struct mp_stream *stream) {
    stream->sampling = true;
    stream->next = lane_clock(s, stream->lane) + mp_draw_skip(s, stream);
    stream->carry = mp_draw_skip(s, stream);
}

void mp_stream_start(struct mp_sampler *s, struct mp_stream *stream, double rate) {
    ASSERT(rate >= 0 && rate <= 1 && !stream->sampling && mp_sampler_has_room(s));
    double log_of_failure = log1p(-rate);
    stream->rate = rate;
    stream->mean_skip = rate < 1 ? -1 / log_of_failure : 0;
    if (rate == 1 || (rate > 0 && isfinite(stream->mean_skip))) begin_trials(s, stream);
    sampling_changed(s);
}

void mp_stream_stop(struct mp_sampler *s, struct mp_stream *stream) {
    stream->sampling = stream->away = false;
    sampling_changed(s);
}

void mp_stream_leave(struct mp_sampler *s, struct mp_stream *stream) {
    if (!stream->sampling) return;
    mp_stream_stop(s, stream);
    stream->away = true;
}

void mp_stream_return(struct mp_sampler *s, struct mp_stream *stream) {
    if (!stream->away) return;
    stream->away = false;
    begin_trials(s, stream);
    sampling_changed(s);
}

void mp_sampler_pause(struct mp_sampler *s) {
    if (s->paused++ == 0) s->paused_at = gc_clock(&s->d->gc);
}

void mp_sampler_unpause(struct mp_sampler *s) {
    ASSERT(s->paused > 0 && gc_clock(&s->d->gc) >= s->paused_at);
    if (--s->paused > 0) return;
    gc_clock_move(&s->d->gc, (intptr_t)(s->paused_at - gc_clock(&s->d->gc)));
    mp_set_trigger(s);
}
