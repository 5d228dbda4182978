/* model.c - a profile in memory; the picture and the invariants are in model.h. */
#include "memprof/report/model/model.h"

#include "gc/assert.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct report_model *report_model_create(void) {
    struct report_model *model = report_alloc(sizeof *model);
    const struct report_location unknown = {.line = -1, .start = -1, .end = -1};
    model->rate = model->weight = 1;
    model->word_bytes = 8;
    model->format = report_copy("");
    model->program = report_copy("");
    model->host = report_copy("");
    model->runtime_parameters = report_copy("");
    model->context = report_copy("");
    model->outcome = report_copy("");
    model->overhead = model->overhead_processor = model->processor = -1;
    model->peak = report_alloc(sizeof *model->peak);
    *model->peak = -1;
    report_model_name(model, "");
    report_model_location(model, &unknown);
    report_append(&model->nodes, (struct report_node){0});
    report_model_thread(model, (struct mp_thread){0, 0});
    report_append(&model->holders, (struct report_holder){0});
    report_append(&model->moments, REPORT_NEVER);
    return model;
}

void report_model_free(struct report_model *model) {
    if (model == NULL) return;
    report_each(name, &model->names) free(*name);
    report_free(model->format, model->program, model->host, model->runtime_parameters,
                model->context, model->snapshot, model->outcome, model->names.at,
                model->locations.at, model->nodes.at, model->threads.at, model->samples.at,
                model->moments.at, model->traits.at, model->traits_hash.slots, model->gc_events.at,
                model->residents.at, model->ticks.at, model->markings.at, model->phases.at,
                model->phase_changes.at, model->counts.at, model->counters.at, model->sites.at,
                model->peak, model->origin.arguments, model->origin.ocaml, model->origin.recorder,
                model->name_hash.slots, model->location_hash.slots, model->node_hash.slots,
                model->thread_hash.slots, model->holders.at, model->holder_hash.slots, model);
}

static bool is_name(const void *owner, uint32_t number, const void *key) {
    return strcmp(((const struct report_model *)owner)->names.at[number], key) == 0;
}

enum { NAME_BYTES = 512 }; /* so that a report is not many times larger than its profile */

/* The text, or the beginning of a longer one and "...". */
static const char *clip_name(const char *text, char clipped[NAME_BYTES + 1]) {
    if (strnlen(text, NAME_BYTES + 1) <= NAME_BYTES) return text;
    size_t n = NAME_BYTES - 3;
    while (n > 0 && ((uint8_t)text[n] & 0xc0) == 0x80) n--; /* a character stays whole */
    memcpy(clipped, text, n);
    memcpy(clipped + n, "...", 4);
    return clipped;
}

uint32_t report_model_name(struct report_model *model, const char *text) {
    char clipped[NAME_BYTES + 1];
    text = clip_name(text, clipped);
    uint64_t hash = report_hash_bytes(text, strlen(text));
    uint32_t found = report_hash_find(&model->name_hash, hash, is_name, model, text);
    if (found != REPORT_NO_NUMBER) return found;
    report_append(&model->names, report_copy(text));
    report_hash_add(&model->name_hash, hash, model->names.count - 1);
    return model->names.count - 1;
}

static bool is_location(const void *owner, uint32_t number, const void *key) {
    const struct report_model *model = owner;
    return memcmp(&model->locations.at[number], key, sizeof *model->locations.at) == 0;
}

uint32_t report_model_location(struct report_model *model, const struct report_location *location) {
    ASSERT(location->file < model->names.count && location->function < model->names.count);
    ASSERT(location->reserved == 0);
    uint64_t hash = report_hash_bytes(location, sizeof *location);
    uint32_t found = report_hash_find(&model->location_hash, hash, is_location, model, location);
    if (found != REPORT_NO_NUMBER) return found;
    report_append(&model->locations, *location);
    report_hash_add(&model->location_hash, hash, model->locations.count - 1);
    return model->locations.count - 1;
}

static bool is_node(const void *owner, uint32_t number, const void *key) {
    const struct report_node *node = &((const struct report_model *)owner)->nodes.at[number];
    const struct report_node *wanted = key;
    return node->parent == wanted->parent && node->location == wanted->location;
}

static uint64_t hash_node(const struct report_node *node) {
    return report_hash_number(((uint64_t)node->parent << 32 | node->location) *
                              0xD6E8FEB86659FD93u);
}

uint32_t report_model_push(struct report_model *model, uint32_t parent, uint32_t location) {
    ASSERT(parent < model->nodes.count && location < model->locations.count); /* PM1, PM5 */
    const struct report_node node = {parent, location, model->nodes.at[parent].depth + 1};
    uint64_t hash = hash_node(&node);
    uint32_t found = report_hash_find(&model->node_hash, hash, is_node, model, &node);
    if (found != REPORT_NO_NUMBER) return found;
    report_append(&model->nodes, node);
    report_hash_add(&model->node_hash, hash, model->nodes.count - 1);
    return model->nodes.count - 1;
}

static bool is_thread(const void *owner, uint32_t number, const void *key) {
    const struct mp_thread *id = &((const struct report_model *)owner)->threads.at[number].id;
    const struct mp_thread *wanted = key;
    return id->domain == wanted->domain && id->number == wanted->number;
}

uint32_t report_model_thread(struct report_model *model, struct mp_thread id) {
    uint64_t hash = report_hash_number(id.domain * 0xD6E8FEB86659FD93u + id.number);
    uint32_t found = report_hash_find(&model->thread_hash, hash, is_thread, model, &id);
    if (found != REPORT_NO_NUMBER) return found;
    const struct mp_thread whole = {id.domain, 0};
    uint32_t domain = id.number > 0 ? report_model_thread(model, whole) : model->threads.count;
    report_append(&model->threads, (struct report_thread){id, domain});
    report_hash_add(&model->thread_hash, hash, model->threads.count - 1);
    return model->threads.count - 1;
}

void report_model_drop_samples(struct report_model *model) {
    report_free(model->samples.at, model->nodes.at, model->node_hash.slots);
    model->samples.at = NULL;
    model->samples.count = model->samples.capacity = 0;
    model->nodes.at = NULL;
    model->nodes.count = model->nodes.capacity = 0;
    model->node_hash = (struct report_hash){0};
}

void report_model_site(struct report_model *model, uint32_t location,
                       const struct report_site *more) {
    ASSERT(location < model->locations.count);
    while (model->sites.count <= location) report_append(&model->sites, (struct report_site){0, 0});
    model->sites.at[location].words += more->words;
    model->sites.at[location].blocks += more->blocks;
}

uint32_t report_model_moment(struct report_model *model, int64_t time) {
    if (time == REPORT_NEVER) return 0;
    size_t last = model->moments.count - 1;
    if (model->moments.at[last] == time) return last;
    ASSERT(last < UINT32_MAX - 1);
    report_append(&model->moments, time);
    return last + 1;
}

uint32_t report_moment_from(const struct report_model *model, int64_t time) {
    size_t low = 1, high = model->moments.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model->moments.at[middle] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool is_traits(const void *owner, uint32_t number, const void *key) {
    const struct report_traits *traits = ((const struct report_model *)owner)->traits.at;
    return memcmp(&traits[number], key, sizeof *traits) == 0;
}

/* Few traits are those of nearly all samples: most are found among the recent ones. */
static uint32_t number_of_traits(struct report_model *model, const struct report_traits *traits) {
    uint64_t words[4], hash = 0;
    static_assert(sizeof words == sizeof *traits, "all bytes are hashed");
    memcpy(words, traits, sizeof words);
    for (int i = 0; i < 4; i++) hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    uint32_t *recent = &model->recent_traits[hash % 256];
    if (*recent < model->traits.count && is_traits(model, *recent, traits)) return *recent;
    *recent = report_hash_find(&model->traits_hash, hash, is_traits, model, traits);
    if (*recent == REPORT_NO_NUMBER) {
        *recent = model->traits.count;
        report_append(&model->traits, *traits);
        report_hash_add(&model->traits_hash, hash, *recent);
    }
    return *recent;
}

void report_model_store(struct report_model *model, struct report_stored_sample sample,
                        const struct report_traits *traits) {
    sample.traits = number_of_traits(model, traits);
    report_append(&model->samples, sample);
    if (traits->weight > model->weight) model->weight = traits->weight;
}

void report_model_sample(struct report_model *model, const struct report_sample *sample) {
    const struct report_traits traits = {
        sample->wosize, sample->hits,   sample->weight, sample->thread, sample->holder,
        sample->tag,    sample->source, sample->young,  sample->held,   {0}};
    const struct report_stored_sample stored = {
        .born = report_model_moment(model, sample->born),
        .promoted = report_model_moment(model, sample->promoted),
        .died = report_model_moment(model, sample->died),
        .node = sample->node};
    report_model_store(model, stored, &traits);
}

static bool is_holder(const void *owner, uint32_t number, const void *key) {
    const struct report_holder *a = &((const struct report_model *)owner)->holders.at[number];
    const struct report_holder *b = key;
    return a->slot == b->slot && a->name == b->name && a->location == b->location &&
           a->kind == b->kind && a->through == b->through;
}

uint32_t report_model_holder(struct report_model *model, const struct report_holder *holder) {
    ASSERT(holder->kind < MP_HELD_KINDS && holder->name < model->names.count); /* PM5 */
    ASSERT(holder->location < model->locations.count);                         /* PM5 */
    uint64_t hash = report_hash_number((uint64_t)holder->name << 32 | holder->location) ^
                    report_hash_number(holder->slot << 4 | holder->kind << 1 | holder->through);
    uint32_t found = report_hash_find(&model->holder_hash, hash, is_holder, model, holder);
    if (found != REPORT_NO_NUMBER) return found;
    report_append(&model->holders, *holder);
    report_hash_add(&model->holder_hash, hash, model->holders.count - 1);
    return model->holders.count - 1;
}

void report_model_hold(struct report_model *model, uint32_t sample, uint32_t holder) {
    struct report_stored_sample *stored = &model->samples.at[sample];
    struct report_traits traits = model->traits.at[stored->traits];
    if (traits.holder != 0) return;
    traits.holder = holder;
    stored->traits = number_of_traits(model, &traits);
}

void report_model_promote(struct report_model *model, uint32_t sample, uint32_t moment) {
    struct report_stored_sample *stored = &model->samples.at[sample];
    struct report_traits traits = model->traits.at[stored->traits];
    stored->promoted = moment;
    if (traits.young) return;
    traits.young = true;
    stored->traits = number_of_traits(model, &traits);
}

void report_model_held(struct report_model *model, uint32_t sample) {
    struct report_stored_sample *stored = &model->samples.at[sample];
    struct report_traits traits = model->traits.at[stored->traits];
    traits.held = true;
    stored->traits = number_of_traits(model, &traits);
}

REPORT_COMPARE(by_birth, struct report_stored_sample,
               report_order(x->born, y->born) ?: report_order(x->node, y->node))

static int by_moment(const void *a, const void *b, void *moments) {
    const int64_t *at = moments;
    return report_order(at[*(const uint32_t *)a], at[*(const uint32_t *)b]);
}

/* Numbers the moments in order, and each once (PM8). */
static void sort_moments(struct report_model *model) {
    size_t count = model->moments.count, used = 1;
    const int64_t *old = model->moments.at;
    bool ordered = true;
    for (size_t i = 2; i < count; i++) ordered = ordered && old[i - 1] < old[i];
    if (ordered) return;
    uint32_t *order = report_alloc(count * sizeof *order);
    uint32_t *into = report_alloc(count * sizeof *into);
    int64_t *sorted = report_alloc(count * sizeof *sorted);
    for (size_t i = 1; i < count; i++) order[i] = i;
    qsort_r(order + 1, count - 1, sizeof *order, by_moment, model->moments.at);
    sorted[0] = REPORT_NEVER;
    for (size_t i = 1; i < count; i++) {
        if (used == 1 || sorted[used - 1] != old[order[i]]) sorted[used++] = old[order[i]];
        into[order[i]] = used - 1;
    }
    report_each(s, &model->samples) {
        s->born = into[s->born];
        s->promoted = into[s->promoted];
        s->died = into[s->died];
    }
    report_free(order, into, model->moments.at);
    model->moments.at = sorted;
    model->moments.count = model->moments.capacity = used;
}

static void extend(int64_t *end, int64_t time) {
    if (time != REPORT_NEVER && time > *end) *end = time;
}

/* In builds with assertions: PM1 to PM8. */
static void verify(const struct report_model *m) {
    ASSERT(m->rate > 0 && m->rate <= 1 && (m->word_bytes == 4 || m->word_bytes == 8));
    ASSERT(m->names.at[0][0] == 0 && m->locations.at[0].function == 0); /* PM4 */
    ASSERT(m->nodes.at[0].depth == 0 && m->sites.count <= m->locations.count);
    for (uint32_t i = 1; i < m->nodes.count; i++) {
        const struct report_node *node = &m->nodes.at[i];
        ASSERT(node->parent < i && node->depth == m->nodes.at[node->parent].depth + 1);  /* PM1 */
        ASSERT(report_hash_find(&m->node_hash, hash_node(node), is_node, m, node) == i); /* PM2 */
        ASSERT(node->location < m->locations.count);                                     /* PM5 */
    }
    ASSERT(m->moments.at[0] == REPORT_NEVER);
    for (size_t i = 2; i < m->moments.count; i++)
        ASSERT(m->moments.at[i - 1] < m->moments.at[i]); /* PM8 */
    uint32_t last = 1;
    report_each(stored, &m->samples) {
        ASSERT(stored->born >= last && stored->born < m->moments.count); /* PM6 */
        ASSERT(stored->promoted < m->moments.count);                     /* PM5 */
        ASSERT(stored->died < m->moments.count && stored->traits < m->traits.count);
        last = stored->born;
    }
    report_each_sample(s, m) {
        ASSERT(s->hits >= 1 && s->source < REPORT_SOURCES);               /* PM3 */
        ASSERT(s->weight >= 1 && s->weight <= m->weight);                 /* PM3 */
        ASSERT(s->node < m->nodes.count && s->thread < m->threads.count); /* PM5 */
        ASSERT(s->holder < m->holders.count);                             /* PM5 */
        ASSERT(s->tag >= -1 && s->tag < 256 && s->born <= m->end);        /* PM6 */
        ASSERT(s->died == REPORT_NEVER || s->died <= m->end);             /* PM6 */
        ASSERT(s->promoted == REPORT_NEVER || s->promoted <= m->end);     /* PM6 */
    }
    for (size_t i = 0; i < m->markings.count; i++) { /* PM7 */
        const struct report_marking *k = &m->markings.at[i];
        ASSERT(k->began <= k->over && (i == 0 || k[-1].over <= k->began));
    }
    report_each(e, &m->gc_events) ASSERT(e->kind < REPORT_GC_KINDS && e->start >= 0);
    report_each(p, &m->phases) ASSERT(p->name < m->names.count); /* PM5 */
    report_each(c, &m->counts) ASSERT(c->name < m->names.count); /* PM5 */
}

static void change_phase(struct report_model *m, int64_t time, uint32_t name) {
    size_t n = m->phase_changes.count;
    if (n > 0 && m->phase_changes.at[n - 1].time == time) m->phase_changes.at[n - 1].name = name;
    else report_append(&m->phase_changes, (struct report_phase_change){time, name});
}

/* Of the phases open at a time, the innermost is the one entered last. */
static void find_phase_changes(struct report_model *m) {
    REPORT_VECTOR(struct report_phase) open = {0};
    m->phase_changes.count = 0;
    for (size_t i = 0; i <= m->phases.count; i++) {
        int64_t until = i < m->phases.count ? m->phases.at[i].start : REPORT_NEVER;
        while (open.count > 0 && open.at[open.count - 1].end <= until) {
            int64_t end = open.at[--open.count].end;
            while (open.count > 0 && open.at[open.count - 1].end <= end) open.count--;
            if (end == REPORT_NEVER) break;
            change_phase(m, end, open.count > 0 ? open.at[open.count - 1].name : 0);
        }
        if (i == m->phases.count) break;
        report_append(&open, m->phases.at[i]);
        if (m->phases.at[i].end > until) change_phase(m, until, m->phases.at[i].name);
    }
    free(open.at);
}

void report_model_finish(struct report_model *model) {
    bool ordered = true;
    sort_moments(model);
    uint32_t last = 0;
    report_each(s, &model->samples) {
        if (s > model->samples.at && s->born < s[-1].born) ordered = false;
        if (s->born > last) last = s->born;
        if (s->promoted > last) last = s->promoted;
        if (s->died > last) last = s->died;
    }
    if (last > 0) extend(&model->end, model->moments.at[last]);
    report_each(e, &model->gc_events) extend(&model->end, e->start + e->duration);
    report_each(p, &model->phases) extend(&model->end, p->end);
    report_each(c, &model->counters) extend(&model->end, c->time);
    if (!ordered) report_sort(&model->samples, by_birth);
    find_phase_changes(model);
    verify(model);
}

void report_counter_add(struct report_counter *to, const struct report_counter *more,
                        double factor) {
#define TOTAL(name) to->name += factor * more->name;
#define LEVEL(name)
#include "memprof/format/counters.def"
}

void report_omitted_add(struct mp_record_omitted *to, const struct mp_record_omitted *more,
                        uint64_t until_us) {
    if (more->pauses + more->phases + more->markings == 0) return;
    to->elapsed = until_us;
    to->pauses += more->pauses;
    to->phases += more->phases;
    to->markings += more->markings;
}

/* The sum over all samples of a part of their traits. */
static double sum_traits(const struct report_model *model,
                         double (*part)(const struct report_traits *traits)) {
    uint64_t *counts = report_alloc(model->traits.count * sizeof *counts);
    double sum = 0;
    report_each(s, &model->samples) counts[s->traits]++;
    for (size_t i = 0; i < model->traits.count; i++)
        if (model->traits.at[i].source != REPORT_FIBER)
            sum += (double)counts[i] * part(&model->traits.at[i]);
    free(counts);
    return sum;
}

static double hits_of(const struct report_traits *traits) { return traits->hits; }

static double excess_of(const struct report_traits *traits) {
    return (double)traits->hits * (traits->weight - 1);
}

double report_model_all_hits(const struct report_model *model) {
    return model->selected ? model->all_hits : sum_traits(model, hits_of);
}

double report_model_all_excess(const struct report_model *model) {
    return model->selected      ? model->all_excess
           : model->weight == 1 ? 0
                                : sum_traits(model, excess_of);
}

double report_sample_words(const struct report_sample *sample) {
    bool header = sample->source != REPORT_EXTERNAL && sample->source != REPORT_FIBER;
    return (double)sample->wosize + header;
}

double report_model_exact_words(const struct report_model *model) {
    if (model->counters.count == 0 || (model->selected && model->all_hits == 0)) return 0;
    const struct report_counter *last = &model->counters.at[model->counters.count - 1];
    double words = last->minor_words + last->major_words - last->promoted_words +
                   last->external_words;
    return words > 0 ? words : 0;
}

/* By the samples: hits of births and deaths at each moment. A block is not live at the moment of
 * its death, even if another is born then. */
static int64_t find_peak(const struct report_model *model) {
    uint64_t *born = report_alloc(model->moments.count * sizeof *born);
    uint64_t *dead = report_alloc(model->moments.count * sizeof *dead);
    uint64_t live = 0, most = 0;
    int64_t peak = 0;
    report_each(stored, &model->samples) {
        uint32_t hits = model->traits.at[stored->traits].hits;
        if (stored->died != 0 && stored->died <= stored->born) continue;
        born[stored->born] += hits;
        dead[stored->died] += hits;
    }
    for (size_t i = 1; i < model->moments.count; i++) {
        ASSERT(dead[i] <= live);
        live += born[i] - dead[i];
        if (live <= most) continue;
        most = live;
        peak = model->moments.at[i];
    }
    report_free(born, dead);
    return peak;
}

/* Computing it from the samples takes a while: the result is cached. */
int64_t report_peak_time(const struct report_model *model) {
    if (*model->peak < 0) *model->peak = find_peak(model);
    return *model->peak;
}

int64_t report_proven_peak_time(const struct report_model *model) {
    const struct report_marking *most = model->markings.at;
    ASSERT(model->markings.count > 0);
    report_each(marking, &model->markings)
        if (marking->words > most->words) most = marking;
    return most->began;
}

void report_unwind(const struct report_model *model, uint32_t node, size_t most,
                   struct report_numbers *frames) {
    ASSERT(node < model->nodes.count);
    size_t n = model->nodes.at[node].depth, kept = n < most ? n : most;
    size_t outer = kept < n ? most / 3 : n, i = kept;
    report_reserve(frames, kept + 1);
    frames->count = kept;
    for (; node != 0; node = model->nodes.at[node].parent) {
        size_t depth = model->nodes.at[node].depth;
        if (depth <= outer || n - depth < kept - outer)
            frames->at[--i] = model->nodes.at[node].location;
    }
    ASSERT(i == 0);
}

/* ---- Folding: fewer call stacks, for formats that spell out every one. ----
 *
 * A node is kept if the stacks through it have enough hits. A sample whose node is not kept gets
 * the stack of its innermost kept caller, a frame `(smaller stacks)`, and its own location: what is
 * allocated where, and all totals, stay. */

/* Hits of the stacks through each node. */
static uint64_t *hits_through(const struct report_model *m) {
    uint64_t *hits = report_alloc(m->nodes.count * sizeof *hits);
    report_each(s, &m->samples) hits[s->node] += m->traits.at[s->traits].hits;
    for (size_t i = m->nodes.count - 1; i > 0; i--) hits[m->nodes.at[i].parent] += hits[i];
    return hits;
}

/* A threshold of hits that at most `most` nodes reach. */
static uint64_t choose_least(const uint64_t *hits, size_t count, size_t most) {
    for (uint64_t least = 1;; least += least / 4 + 1) {
        size_t reach = 0;
        for (size_t i = 0; i < count; i++) reach += hits[i] >= least;
        if (reach <= most) return least;
    }
}

/* Moves the kept nodes to a new table. into[i]: the new number of node i or of its innermost kept
 * caller. */
static void keep_nodes(struct report_model *m, const struct report_node *old, size_t count,
                       const uint64_t *hits, uint64_t least, uint32_t *into) {
    m->nodes.at = NULL;
    m->nodes.count = m->nodes.capacity = 0;
    free(m->node_hash.slots);
    m->node_hash = (struct report_hash){0};
    report_append(&m->nodes, old[0]);
    into[0] = 0;
    for (size_t i = 1; i < count; i++) {
        ASSERT(old[i].parent < i); /* PM1 */
        into[i] = into[old[i].parent];
        if (hits[i] >= least) into[i] = report_model_push(m, into[i], old[i].location);
    }
}

/* Makes new nodes for the samples whose nodes are not kept. False: they would be too many. */
static bool replace_nodes(struct report_model *m, const struct report_node *old,
                          const uint64_t *hits, uint64_t least, const uint32_t *into, size_t most) {
    struct report_location smaller = {.line = -1, .start = -1, .end = -1};
    smaller.function = report_model_name(m, "(smaller stacks)");
    uint32_t frame = report_model_location(m, &smaller);
    /* All nodes are made before the first sample moves, so that a failure leaves the samples. */
    for (int moving = 0; moving < 2; moving++)
        report_each(s, &m->samples) {
            uint32_t to = into[s->node];
            if (hits[s->node] < least)
                to = report_model_push(m, report_model_push(m, to, frame), old[s->node].location);
            if (m->nodes.count > most) return false;
            if (moving) s->node = to;
        }
    return true;
}

void report_model_fold(struct report_model *m, size_t most) {
    if (m->nodes.count <= most) return;
    size_t count = m->nodes.count;
    struct report_node *old = m->nodes.at;
    uint64_t *hits = hits_through(m);
    uint32_t *into = report_alloc(count * sizeof *into);
    uint64_t least = choose_least(hits, count, most / 2);
    for (;; least *= 2) {
        keep_nodes(m, old, count, hits, least, into);
        /* If only node 0 is kept, there is one node for each location, and one more. */
        if (replace_nodes(m, old, hits, least, into, most + m->locations.count + 1)) break;
        free(m->nodes.at);
    }
    report_free(old, hits, into);
}

/* ---- Shortening: stacks with fewer frames. ----
 *
 * A deeper stack keeps its outermost third and its innermost frames, with a frame between them that
 * stands for those left out. So the stacks of a deep recursion become equal. */

/* Myers' jump pointers: one ancestor of each node, through which any other is found in few
 * steps. */
static uint32_t *find_jumps(const struct report_node *nodes, size_t count) {
    uint32_t *jump = report_alloc(count * sizeof *jump);
    for (size_t i = 1; i < count; i++) {
        uint32_t up = nodes[i].parent, far = jump[up];
        bool equal = nodes[up].depth - nodes[far].depth ==
                     nodes[far].depth - nodes[jump[far]].depth;
        jump[i] = equal ? jump[far] : up;
    }
    return jump;
}

static uint32_t ancestor_at(const struct report_node *nodes, const uint32_t *jump, uint32_t node,
                            uint32_t depth) {
    while (nodes[node].depth > depth)
        node = nodes[jump[node]].depth >= depth ? jump[node] : nodes[node].parent;
    return node;
}

/* The node of the short stack. */
static uint32_t shorten_stack(struct report_model *m, const uint32_t *jump, uint32_t node,
                              uint32_t most, uint32_t marker, struct report_numbers *inner) {
    uint32_t outer = ancestor_at(m->nodes.at, jump, node, most / 3);
    inner->count = 0;
    for (uint32_t i = most / 3 + 1; i < most; i++, node = m->nodes.at[node].parent)
        report_append(inner, m->nodes.at[node].location);
    node = report_model_push(m, outer, marker);
    while (inner->count > 0) node = report_model_push(m, node, inner->at[--inner->count]);
    return node;
}

static size_t frames_of(const struct report_model *m, const uint32_t *uses, size_t most) {
    size_t sum = 0;
    for (size_t i = 0; i < m->nodes.count; i++)
        sum += uses[i] * (size_t)(m->nodes.at[i].depth < most ? m->nodes.at[i].depth : most);
    return sum;
}

void report_model_shorten(struct report_model *m, size_t most, size_t total, bool once) {
    size_t count = m->nodes.count;
    uint32_t *uses = report_alloc(count * sizeof *uses), *into = NULL;
    struct report_numbers inner = {0};
    ASSERT(most >= 32);
    report_each(s, &m->samples) uses[s->node] = once ? 1 : uses[s->node] + 1;
    while (most >= 64 && frames_of(m, uses, most) > total) most /= 2;
    if (frames_of(m, uses, most) == frames_of(m, uses, SIZE_MAX)) {
        free(uses);
        return;
    }
    uint32_t *jump = find_jumps(m->nodes.at, count);
    struct report_location left_out = {.line = -1, .start = -1, .end = -1};
    left_out.function = report_model_name(m, "(frames left out)");
    uint32_t marker = report_model_location(m, &left_out);
    into = report_alloc(count * sizeof *into);
    for (size_t i = 0; i < count; i++) {
        into[i] = i;
        if (uses[i] > 0 && m->nodes.at[i].depth > most)
            into[i] = shorten_stack(m, jump, i, most, marker, &inner);
    }
    report_each(s, &m->samples) s->node = into[s->node];
    report_free(uses, jump, into, inner.at);
}
