/* sites.c - what the file is told of places in the code: the tags of the blocks that are
 * sampled there and, on request, exact counts of all that is allocated there.
 *
 * Counting is a second client of the sampler, at rate 1: each allocation leaves the fast path, and
 * adds its words to the place of the innermost frame; no call stack is taken, no block is watched.
 * So nothing is asked of a program that is recorded without it. */
#include "gc/small_tables.h"
#include "memprof/recorder/recorder_internal.h"
#include "vm/stack/frames.h"
#include "vm/state/domain.h"

#include <stdlib.h>

/* ---- Tags. ---- */

void mp_note_tag(struct mp_recorder *r, uint32_t location, unsigned tag) {
    struct mp_interned *t = &r->interned;
    if (location == 0) return;
    if (location >= t->tag_capacity) {
        size_t wider = 2 * (size_t)location + 256;
        uint16_t *tags = realloc(t->tags, wider * sizeof *tags);
        if (tags == NULL) return;
        for (size_t i = t->tag_capacity; i < wider; i++) tags[i] = 0;
        t->tags = tags;
        t->tag_capacity = wider;
    }
    if (t->tags[location] == tag + 1) return;
    t->tags[location] = (uint16_t)(tag + 1);
    struct mp_record_block_tag record = {location, (uint8_t)tag};
    mp_write_block_tag(r->writer, &record);
}

/* ---- Exact counts. ---- */

static bool reserve(struct mp_sites *s, uint64_t index) {
    if (index >= s->capacity) {
        size_t wider = s->capacity == 0 ? IF_SMALL_TABLES(2, 4096) : s->capacity;
        while (wider <= index) wider *= 2;
        struct mp_site_count *at = realloc(s->at, wider * sizeof *at);
        if (at == NULL) return false;
        for (size_t i = s->capacity; i < wider; i++) at[i] = (struct mp_site_count){0, 0};
        s->at = at;
        s->capacity = wider;
    }
    if (s->touched_count < s->touched_capacity) return true;
    size_t wider = s->touched_capacity == 0 ? IF_SMALL_TABLES(1, 1024) : 2 * s->touched_capacity;
    uint64_t *touched = realloc(s->touched, wider * sizeof *touched);
    if (touched == NULL) return false;
    s->touched = touched;
    s->touched_capacity = wider;
    return true;
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
    if (!reserve(s, index)) {
        r->lost_sites++;
        return;
    }
    struct mp_site_count *count = &s->at[index];
    if (count->blocks == 0) s->touched[s->touched_count++] = index;
    count->words += hit->samples;
    count->blocks++;
}

static void on_collected(void *context, struct gc_domain *g) {}

static const struct mp_client counting_client = {
    .hit = on_hit, .quickly = mp_hit_quickly, .minor_done = on_collected};

void mp_sites_start(struct mp_recorder *r) {
    mp_stream_attach(r->sampler, &r->sites.stream, &r->sites.lane, &counting_client, r, 0);
    mp_stream_start(r->sampler, &r->sites.stream, 1);
}

void mp_sites_write(struct mp_recorder *r) {
    struct mp_sites *s = &r->sites;
    for (size_t i = 0; i < s->touched_count; i++) {
        uint64_t index = s->touched[i];
        uint32_t location = index == 0 ? 0 : mp_intern_location(r, index - 1);
        struct mp_record_site record = {location, s->at[index].words, s->at[index].blocks};
        mp_write_site(r->writer, &record);
    }
    mp_sites_forget(r);
}

void mp_sites_forget(struct mp_recorder *r) {
    struct mp_sites *s = &r->sites;
    for (size_t i = 0; i < s->touched_count; i++)
        s->at[s->touched[i]] = (struct mp_site_count){0, 0};
    s->touched_count = 0;
}

void mp_sites_stop(struct mp_recorder *r) { mp_stream_detach(r->sampler, &r->sites.stream); }
