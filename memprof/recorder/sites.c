/* sites.c - records about allocation sites: the tags of the blocks that are sampled there and, on
 * request, exact counts of everything that is allocated there.
 *
 * Counting is a second client of the sampler, at rate 1: each allocation leaves the fast path and
 * is counted for the pc of the innermost frame; no call stack is taken, no block is tracked. */
#include "gc/containers.h"
#include "memprof/recorder/recorder_internal.h"
#include "vm/stack/frames.h"
#include "vm/state/domain.h"

#include <string.h>

static bool widen_zeroed(void **items, size_t *capacity, size_t wanted, size_t first,
                         size_t item_bytes) {
    size_t had = *capacity;
    if (!vector_widen(items, capacity, wanted, first, item_bytes, NULL)) return false;
    memset((char *)*items + had * item_bytes, 0, (*capacity - had) * item_bytes);
    return true;
}

/* ---- Tags. ---- */

void mp_record_tag(struct mp_recorder *r, uint32_t location, unsigned tag) {
    struct mp_interned *t = &r->interned;
    if (location < t->tag_capacity && t->tags[location] == tag + 1) return;
    if (location == 0 || !widen_zeroed((void **)&t->tags, &t->tag_capacity, location + (size_t)1,
                                       IF_SMALL_TABLES(1, 256), sizeof *t->tags))
        return;
    t->tags[location] = (uint16_t)(tag + 1);
    struct mp_record_block_tag record = {location, (uint8_t)tag};
    mp_write_block_tag(r->writer, &record);
}

/* ---- Exact counts. ---- */

static bool reserve_site(struct mp_sites *s, uint64_t index) {
    return widen_zeroed((void **)&s->at, &s->capacity, index + 1, IF_SMALL_TABLES(2, 4096),
                        sizeof *s->at) &&
           vector_reserve(&s->touched, 1, IF_SMALL_TABLES(1, 1024), NULL);
}

static void on_hit(void *context, struct domain *d, const struct mp_hit *hit) {
    struct mp_recorder *r = context;
    struct mp_sites *s = &r->sites;
    struct vm_frame frame;
    if (!mp_recorder_is_recording(r)) {
        mp_stream_stop(r->sampler, &s->stream);
        return;
    }
    uint64_t index = vm_frames_first(d, &frame) ? frame.gpc + 1 : 0;
    if (!reserve_site(s, index)) {
        r->lost_sites++;
        return;
    }
    struct mp_site_count *count = &s->at[index];
    ASSERT(index < s->capacity);
    if (count->blocks == 0) vector_append(&s->touched, index);
    count->words += hit->samples;
    count->blocks++;
}

static const struct mp_client counting_client = {
    .hit = on_hit, .fast_sample = mp_sample_existing, .counts_once = true};

bool mp_sites_start(struct mp_recorder *r) {
    if (!mp_sampler_has_room(r->sampler)) return false;
    mp_stream_attach(r->sampler, &r->sites.stream, &r->sites.lane, &counting_client, r, 0);
    mp_stream_start(r->sampler, &r->sites.stream, 1);
    return true;
}

void mp_sites_write(struct mp_recorder *r) {
    struct mp_sites *s = &r->sites;
    for (size_t i = 0; i < s->touched.count; i++) {
        uint64_t index = s->touched.items[i];
        ASSERT(s->at[index].blocks > 0); /* RI2 */
        uint32_t location = index == 0 ? 0 : mp_intern_location(r, index - 1);
        struct mp_record_site record = {location, s->at[index].words, s->at[index].blocks};
        mp_write_site(r->writer, &record);
    }
    mp_sites_forget(r);
}

void mp_sites_forget(struct mp_recorder *r) {
    struct mp_sites *s = &r->sites;
    for (size_t i = 0; i < s->touched.count; i++)
        s->at[s->touched.items[i]] = (struct mp_site_count){0, 0};
    s->touched.count = 0;
}

void mp_sites_stop(struct mp_recorder *r) { mp_stream_detach(r->sampler, &r->sites.stream); }
