/* model.c - a profile in memory; the picture and the invariants are in model.h. */
#include "memprof/report/model/model.h"

#include "memprof/report/model/memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h) {
    h ^= h >> 32;
    h *= 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

static uint64_t hash_bytes(const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001B3u;
    return mix(h);
}

static uint64_t hash_name(const struct report_model *model, uint32_t i) {
    return hash_bytes(model->names[i], strlen(model->names[i]));
}

static uint64_t hash_location(const struct report_model *model, uint32_t i) {
    return hash_bytes(&model->locations[i], sizeof model->locations[i]);
}

static uint64_t hash_pair(uint32_t parent, uint32_t location) {
    return mix(((uint64_t)parent << 32 | location) * 0xD6E8FEB86659FD93u);
}

static uint64_t hash_node(const struct report_model *model, uint32_t i) {
    return hash_pair(model->nodes[i].parent, model->nodes[i].location);
}

/* Makes room for one more entry, at most half full; hash_of tells where the old ones go. */
static void reserve(const struct report_model *model, struct report_hash *hash,
                    uint64_t (*hash_of)(const struct report_model *, uint32_t)) {
    if (2 * (hash->used + 1) <= hash->size) return;
    size_t size = hash->size > 0 ? hash->size * 2 : 64;
    uint32_t *slots = report_alloc(size * sizeof *slots);
    for (size_t i = 0; i < hash->size; i++) {
        if (hash->slots[i] == 0) continue;
        size_t at = hash_of(model, hash->slots[i] - 1) & (size - 1);
        while (slots[at] != 0) at = (at + 1) & (size - 1);
        slots[at] = hash->slots[i];
    }
    free(hash->slots);
    hash->slots = slots;
    hash->size = size;
}

struct report_model *report_model_create(void) {
    struct report_model *model = report_alloc(sizeof *model);
    const struct report_location unknown = {.line = -1, .start = -1, .end = -1};
    model->rate = 1;
    model->word_bytes = 8;
    model->format = report_copy("");
    model->program = report_copy("");
    model->host = report_copy("");
    model->runtime_parameters = report_copy("");
    model->context = report_copy("");
    model->outcome = report_copy("");
    model->overhead = -1;
    model->peak = report_alloc(sizeof *model->peak);
    *model->peak = -1;
    report_model_name(model, "");
    report_model_location(model, &unknown);
    report_grow(&model->nodes, &model->node_capacity, 1, sizeof *model->nodes);
    memset(model->nodes, 0, sizeof *model->nodes);
    model->node_count = 1;
    return model;
}

void report_model_free(struct report_model *model) {
    if (model == NULL) return;
    for (size_t i = 0; i < model->name_count; i++) free(model->names[i]);
    free(model->format);
    free(model->program);
    free(model->host);
    free(model->runtime_parameters);
    free(model->context);
    free(model->outcome);
    free(model->names);
    free(model->locations);
    free(model->nodes);
    free(model->samples);
    free(model->gc_events);
    free(model->phases);
    free(model->counters);
    free(model->sites);
    free(model->peak);
    free(model->origin.arguments);
    free(model->origin.ocaml);
    free(model->origin.recorder);
    free(model->name_hash.slots);
    free(model->location_hash.slots);
    free(model->node_hash.slots);
    free(model);
}

uint32_t report_model_name(struct report_model *model, const char *text) {
    struct report_hash *hash = &model->name_hash;
    reserve(model, hash, hash_name);
    size_t at = hash_bytes(text, strlen(text)) & (hash->size - 1);
    for (; hash->slots[at] != 0; at = (at + 1) & (hash->size - 1))
        if (strcmp(model->names[hash->slots[at] - 1], text) == 0) return hash->slots[at] - 1;
    report_grow(&model->names, &model->name_capacity, model->name_count + 1, sizeof(char *));
    model->names[model->name_count] = report_copy(text);
    hash->slots[at] = ++model->name_count;
    hash->used++;
    return model->name_count - 1;
}

uint32_t report_model_location(struct report_model *model, const struct report_location *location) {
    struct report_hash *hash = &model->location_hash;
    reserve(model, hash, hash_location);
    size_t at = hash_bytes(location, sizeof *location) & (hash->size - 1);
    for (; hash->slots[at] != 0; at = (at + 1) & (hash->size - 1))
        if (memcmp(&model->locations[hash->slots[at] - 1], location, sizeof *location) == 0)
            return hash->slots[at] - 1;
    report_grow(&model->locations, &model->location_capacity, model->location_count + 1,
                sizeof *location);
    model->locations[model->location_count] = *location;
    hash->slots[at] = ++model->location_count;
    hash->used++;
    return model->location_count - 1;
}

uint32_t report_model_push(struct report_model *model, uint32_t parent, uint32_t location) {
    struct report_hash *hash = &model->node_hash;
    reserve(model, hash, hash_node);
    size_t at = hash_pair(parent, location) & (hash->size - 1);
    for (; hash->slots[at] != 0; at = (at + 1) & (hash->size - 1)) {
        const struct report_node *node = &model->nodes[hash->slots[at] - 1];
        if (node->parent == parent && node->location == location) return hash->slots[at] - 1;
    }
    report_grow(&model->nodes, &model->node_capacity, model->node_count + 1, sizeof *model->nodes);
    model->nodes[model->node_count] = (struct report_node){parent, location,
                                                           model->nodes[parent].depth + 1};
    hash->slots[at] = ++model->node_count;
    hash->used++;
    return model->node_count - 1;
}

uint32_t report_model_sample(struct report_model *model, const struct report_sample *sample) {
    report_grow(&model->samples, &model->sample_capacity, model->sample_count + 1,
                sizeof *model->samples);
    model->samples[model->sample_count] = *sample;
    return model->sample_count++;
}

void report_model_gc_event(struct report_model *model, const struct report_gc_event *event) {
    report_grow(&model->gc_events, &model->gc_event_capacity, model->gc_event_count + 1,
                sizeof *model->gc_events);
    model->gc_events[model->gc_event_count++] = *event;
}

void report_model_phase(struct report_model *model, const struct report_phase *phase) {
    report_grow(&model->phases, &model->phase_capacity, model->phase_count + 1,
                sizeof *model->phases);
    model->phases[model->phase_count++] = *phase;
}

void report_model_counter(struct report_model *model, const struct report_counter *counter) {
    report_grow(&model->counters, &model->counter_capacity, model->counter_count + 1,
                sizeof *model->counters);
    model->counters[model->counter_count++] = *counter;
}

void report_model_site(struct report_model *model, uint32_t location,
                       const struct report_site *more) {
    report_grow(&model->sites, &model->site_capacity, (size_t)location + 1, sizeof *more);
    while (model->site_count <= location)
        model->sites[model->site_count++] = (struct report_site){0, 0};
    model->sites[location].words += more->words;
    model->sites[location].blocks += more->blocks;
}

static int by_birth(const void *a, const void *b) {
    const struct report_sample *x = a, *y = b;
    if (x->born != y->born) return x->born < y->born ? -1 : 1;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return 0;
}

static void extend(int64_t *end, int64_t time) {
    if (time != REPORT_NEVER && time > *end) *end = time;
}

void report_model_finish(struct report_model *model) {
    bool ordered = true;
    for (size_t i = 0; i < model->sample_count; i++) {
        const struct report_sample *s = &model->samples[i];
        if (i > 0 && s->born < s[-1].born) ordered = false;
        extend(&model->end, s->born);
        extend(&model->end, s->promoted);
        extend(&model->end, s->died);
    }
    for (size_t i = 0; i < model->gc_event_count; i++)
        extend(&model->end, model->gc_events[i].start + model->gc_events[i].duration);
    for (size_t i = 0; i < model->phase_count; i++) extend(&model->end, model->phases[i].end);
    for (size_t i = 0; i < model->counter_count; i++) extend(&model->end, model->counters[i].time);
    if (!ordered) qsort(model->samples, model->sample_count, sizeof *model->samples, by_birth);
}

double report_model_all_hits(const struct report_model *model) {
    double hits = 0;
    if (model->selected) return model->all_hits;
    for (size_t i = 0; i < model->sample_count; i++) hits += model->samples[i].hits;
    return hits;
}

double report_model_exact_words(const struct report_model *model) {
    if (model->counter_count == 0 || (model->selected && model->all_hits == 0)) return 0;
    const struct report_counter *last = &model->counters[model->counter_count - 1];
    double words = last->minor_words + last->major_words - last->promoted_words +
                   last->external_words;
    return words > 0 ? words : 0;
}
