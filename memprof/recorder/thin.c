/* thin.c - see thin.h. The events of the old file are written to the new one in their order, with
 * new numbers: strings, locations and call stacks are defined when they are first used. */
#include "memprof/recorder/thin.h"

#include "gc/containers.h"
#include "memprof/format/reader.h"
#include "memprof/format/splitmix64.h"

enum { LIST_MOST = 1000 };

/* ---- Survey. ---- */

static bool count_event(struct mp_thin_input *in, const struct mp_event *event) {
    struct mp_thin_counts *c = &in->counts;
    switch (event->kind) {
    case MP_EVENT_SAMPLE: in->samples++; return true;
    case MP_EVENT_DIED: in->dead++; return mp_set_add(&in->dead_set, event->died.id);
    case MP_EVENT_COUNTERS: c->counters++; return true;
    case MP_EVENT_COUNT: c->counts++; return true;
    case MP_EVENT_RESIDENT: c->residents++; return true;
    case MP_EVENT_PHASE_ENTER: return vector_push(&in->open, c->phases++, 16, NULL);
    case MP_EVENT_PHASE_LEAVE:
        ASSERT(in->open.count > 0); /* PR3 */
        in->open.count--;
        return true;
    case MP_EVENT_PAUSE:
    case MP_EVENT_GC_SPAN: c->pauses++; return true;
    case MP_EVENT_TICKS: c->ticks++; return true;
    case MP_EVENT_MARKING: c->markings++; return true;
    default: return true;
    }
}

bool mp_thin_survey(struct mp_thin_input *in) {
    struct mp_read_error why;
    struct mp_event event;
    struct mp_coverage coverage = {.status = MP_READ_NO_MEMORY};
    struct mp_reader *reader = mp_reader_of_bytes(in->bytes, in->length, &why);
    bool fits = reader != NULL;
    while (fits && mp_reader_next(reader, &event)) fits = count_event(in, &event);
    if (fits) mp_reader_coverage(reader, &coverage);
    mp_reader_close(reader);
    return coverage.status == MP_READ_UNCLOSED;
}

void mp_thin_input_free(struct mp_thin_input *in) {
    mp_set_free(&in->dead_set);
    free(in->open.items);
    in->open.items = NULL;
}

/* ---- Writing. ---- */

/* New numbers, by old ones; 0: not written yet. */
struct numbers {
    uint32_t *at;
    size_t capacity;
};

struct copy {
    const struct mp_thin_input *in;
    const struct mp_thinning *how;
    struct mp_reader *reader;
    struct mp_writer *w;
    struct mp_thin_end *end;
    bool failed;             /* out of memory */
    struct word_map strings; /* new numbers, by the reader's texts */
    struct numbers locations, nodes;
    struct VECTOR(uint16_t) tags;  /* 1 + the tag written last, by new locations */
    struct VECTOR(uint32_t) chain; /* old nodes that are to be written, innermost first */
    struct VECTOR(bool) phases;    /* whether those that are open were written */
    struct VECTOR(struct mp_record_site) sites;    /* sums, by new locations */
    struct VECTOR(struct mp_record_count) pending; /* units that are not written, by old strings */
    struct VECTOR(struct mp_record_ticks) ticks;   /* sums of those long past, by old nodes */
    uint64_t weight;                               /* of samples, as written last */
    struct mp_thin_counts seen;                    /* events of each kind so far */
    struct mp_record_omitted omitted;              /* not written yet */
    size_t open;                                   /* of in->open, those that were met */
    struct mp_record_cost cost;
    bool has_cost;
    struct {
        bool died; /* or promoted */
        enum mp_generation generation;
        uint64_t us;
        size_t count;
        uint64_t ids[LIST_MOST];
    } list;
};

static uint64_t elapsed(struct copy *c, uint64_t us) {
    ASSERT(us >= c->end->us);
    const uint64_t since = us - c->end->us;
    c->end->us = us;
    return since;
}

/* The item of a vector at that index, zero if it is new; NULL: out of memory. */
#define ITEM(c, vector, index)                                                       \
    ({                                                                               \
        const size_t index_ = (index);                                               \
        bool room_ = index_ < (vector)->count ||                                     \
                     vector_reserve(vector, index_ + 1 - (vector)->count, 64, NULL); \
        if (!room_) (c)->failed = true;                                              \
        for (; room_ && (vector)->count <= index_; (vector)->count++)                \
            memset(&(vector)->items[(vector)->count], 0, sizeof *(vector)->items);   \
        room_ ? &(vector)->items[index_] : NULL;                                     \
    })

/* ---- Names. ---- */

static uint32_t string_of(struct copy *c, const char *text) {
    if (text[0] == 0) return 0;
    uintptr_t *number = word_map_add(&c->strings, (uintptr_t)text, 256, NULL);
    if (number == NULL) {
        c->failed = true;
        return 0;
    }
    if (*number == 0) {
        const struct mp_record_string record = {mp_text_of(text)};
        mp_write_string(c->w, &record);
        *number = ++c->end->strings;
    }
    return (uint32_t)*number;
}

/* Makes the table hold an old number. False: out of memory. */
static bool widen(struct copy *c, struct numbers *numbers, uint32_t old) {
    if (old < numbers->capacity) return true;
    const size_t capacity = (size_t)old + old / 2 + 64;
    uint32_t *wider = realloc(numbers->at, capacity * sizeof *wider);
    if (wider == NULL) {
        c->failed = true;
        return false;
    }
    memset(wider + numbers->capacity, 0, (capacity - numbers->capacity) * sizeof *wider);
    *numbers = (struct numbers){wider, capacity};
    return true;
}

static uint32_t location_of(struct copy *c, uint32_t old) {
    if (old == 0 || !widen(c, &c->locations, old)) return 0;
    if (c->locations.at[old] != 0) return c->locations.at[old];
    const struct mp_location *l = mp_reader_location(c->reader, old);
    const struct mp_record_location record = {.code = l->code,
                                              .file = string_of(c, l->file),
                                              .definition = string_of(c, l->definition),
                                              .line = l->line,
                                              .start = l->start,
                                              .end = l->end};
    mp_write_location(c->w, &record);
    return c->locations.at[old] = ++c->end->locations;
}

/* Defines the nodes of the chain; caller: a new number. Returns the innermost one's. */
static uint32_t write_chain(struct copy *c, uint32_t caller) {
    uint64_t items[LIST_MOST];
    while (c->chain.count > 0 && !c->failed) {
        const size_t n = c->chain.count < LIST_MOST ? c->chain.count : LIST_MOST;
        const struct mp_record_stack record = {(uint64_t)c->end->nodes + 1 - caller,
                                               {.items = items, .count = n}};
        for (size_t i = 0; i < n; i++) {
            const uint32_t old = c->chain.items[--c->chain.count];
            items[i] = location_of(c, mp_reader_stack(c->reader, old)->location);
            caller = c->nodes.at[old] = ++c->end->nodes;
        }
        if (!c->failed) mp_write_stack(c->w, &record);
    }
    return caller;
}

static uint32_t node_of(struct copy *c, uint32_t old) {
    if (old == 0 || !widen(c, &c->nodes, old)) return 0;
    uint32_t at = old;
    c->chain.count = 0;
    for (; at != 0 && c->nodes.at[at] == 0; at = mp_reader_stack(c->reader, at)->caller)
        if (!vector_push(&c->chain, at, 256, NULL)) {
            c->failed = true;
            return 0;
        }
    return write_chain(c, at == 0 ? 0 : c->nodes.at[at]);
}

/* ---- Samples. ---- */

/* How many of a sample's hits are kept, each with that probability. */
static uint64_t kept_hits(const struct copy *c, const struct mp_sample *s, double probability) {
    uint64_t id = s->id, state = c->how->seed ^ mp_splitmix64(&id);
    return mp_kept(s->samples, probability, &state);
}

static void write_tag(struct copy *c, uint32_t location, int tag) {
    uint16_t *last = ITEM(c, &c->tags, location);
    if (last == NULL || tag < 0 || location == 0 || *last == tag + 1) return;
    const struct mp_record_block_tag record = {location, (uint8_t)tag};
    mp_write_block_tag(c->w, &record);
    *last = (uint16_t)(tag + 1);
}

static void set_weight(struct copy *c, uint64_t weight) {
    const struct mp_record_weight record = {weight};
    if (weight != c->weight) mp_write_weight(c->w, &record);
    c->weight = weight;
}

static void set_thread(struct copy *c, struct mp_thread now) {
    const struct mp_record_thread record = {now.domain, now.number};
    struct mp_thread *last = &c->end->last_thread;
    if (now.domain != last->domain || now.number != last->number) mp_write_thread(c->w, &record);
    *last = now;
}

static void copy_sample(struct copy *c, const struct mp_event *event) {
    const struct mp_sample *s = &event->sample;
    const uint64_t least = mp_set_has(&c->in->dead_set, s->id) ? c->how->dead : c->how->live;
    const uint64_t weight = s->weight > least ? s->weight : least;
    const uint64_t hits = kept_hits(c, s, (double)s->weight / (double)weight);
    if (hits == 0) return;
    if (!mp_set_append(&c->end->kept, s->id)) c->failed = true;
    const uint32_t node = node_of(c, s->stack);
    if (node != 0)
        write_tag(c, location_of(c, mp_reader_stack(c->reader, s->stack)->location), s->tag);
    set_thread(c, s->thread);
    set_weight(c, weight);
    const struct mp_record_sample record = {
        .elapsed = elapsed(c, event->time_us),
        .kind = (uint8_t)(s->source | (s->young ? MP_SAMPLE_YOUNG : 0)),
        .words = s->words,
        .more = hits - 1,
        .stack = (int64_t)node - (int64_t)c->end->last_stack};
    mp_write_any_sample(c->w, &record);
    c->end->last_stack = node;
}

/* Writes the promotions or deaths that were collected. */
static void flush_list(struct copy *c) {
    const struct mp_list list = {.items = c->list.ids, .count = c->list.count};
    if (list.count == 0) return;
    const struct mp_record_promotions promoted = {elapsed(c, c->list.us), list};
    const struct mp_record_deaths died = {promoted.elapsed, (uint8_t)c->list.generation, list};
    if (c->list.died) mp_write_deaths(c->w, &died);
    else mp_write_promotions(c->w, &promoted);
    c->list.count = 0;
}

/* A promotion or a death: those of one time are one record. */
static void copy_fate(struct copy *c, const struct mp_event *event) {
    const bool died = event->kind == MP_EVENT_DIED;
    const enum mp_generation generation = died ? event->died.generation : MP_DIED_MINOR;
    const uint32_t number = mp_set_rank(&c->end->kept, died ? event->died.id : event->promoted.id);
    if (number == MP_NOT_IN_SET) return;
    if (c->list.count == LIST_MOST || c->list.us != event->time_us || c->list.died != died ||
        c->list.generation != generation)
        flush_list(c);
    c->list.died = died;
    c->list.generation = generation;
    c->list.us = event->time_us;
    c->list.ids[c->list.count++] = number;
}

/* ---- Other events. ---- */

/* Whether an event is among the last ones of its kind; counts it. */
static bool is_recent(const struct copy *c, uint64_t *seen, uint64_t all) {
    return ++*seen + c->how->events > all;
}

/* Whether a reading is one of those that are kept, at equal distances, the last one among them. */
static bool is_chosen(const struct copy *c, uint64_t *seen, uint64_t all) {
    const uint64_t stride = 1 + all / c->how->events;
    return (all - ++*seen) % stride == 0;
}

static void copy_counters(struct copy *c, const struct mp_event *event) {
    const struct mp_counters now = event->counters, last = c->end->counters;
    bool first = c->seen.counters == 0;
    if (!is_chosen(c, &c->seen.counters, c->in->counts.counters) && !first) return;
    const struct mp_record_counters record = {
        .elapsed = elapsed(c, event->time_us),
#define TOTAL(name) .name = now.name - last.name,
#define LEVEL(name) .name = (int64_t)(now.name - last.name),
#include "memprof/format/counters.def"
    };
    mp_write_counters(c->w, &record);
    c->end->counters = now;
}

/* Writes the units of an old string. */
static void write_pending(struct copy *c, uint64_t old, uint64_t us) {
    struct mp_record_count *pending = &c->pending.items[old];
    if (pending->more == 0) return;
    pending->name = string_of(c, mp_reader_string(c->reader, (uint32_t)old));
    pending->elapsed = elapsed(c, us);
    mp_write_count(c->w, pending);
    pending->more = 0;
}

/* Units that are not written yet are added to those of the next record. */
static void copy_count(struct copy *c, const struct mp_event *event) {
    struct mp_record_count *pending = ITEM(c, &c->pending, event->count.name);
    if (pending == NULL) return;
    pending->more += event->count.more;
    if (is_chosen(c, &c->seen.counts, c->in->counts.counts))
        write_pending(c, event->count.name, event->time_us);
}

static bool omits_more(const struct copy *c) {
    const struct mp_thin_counts *all = &c->in->counts, *seen = &c->seen;
    const uint64_t most = c->how->events;
    return seen->pauses + most < all->pauses || seen->phases + most < all->phases ||
           seen->markings + most < all->markings;
}

/* Called before an event is kept: writes how many were left out, unless others still will be. */
static void write_omitted(struct copy *c, uint64_t us) {
    struct mp_record_omitted *o = &c->omitted;
    if (o->pauses + o->phases + o->markings == 0 || omits_more(c)) return;
    o->elapsed = elapsed(c, us);
    mp_write_omitted(c->w, o);
    *o = (struct mp_record_omitted){.pauses = 0};
}

/* Whether a phase is recent, or still open. */
static bool keeps_phase(struct copy *c) {
    const uint64_t number = c->seen.phases;
    bool open = c->open < c->in->open.count && c->in->open.items[c->open] == number;
    c->open += open;
    return is_recent(c, &c->seen.phases, c->in->counts.phases) || open;
}

static void copy_phase(struct copy *c, const struct mp_event *event) {
    if (event->kind == MP_EVENT_PHASE_LEAVE) {
        ASSERT(c->phases.count > 0); /* PR3 */
        const struct mp_record_phase_leave leave = {
            c->phases.items[--c->phases.count] ? elapsed(c, event->time_us) : 0};
        if (c->phases.items[c->phases.count]) mp_write_phase_leave(c->w, &leave);
        return;
    }
    bool written = keeps_phase(c);
    if (!vector_push(&c->phases, written, 16, NULL)) c->failed = true;
    c->omitted.phases += !written;
    if (!written) return;
    write_omitted(c, event->time_us);
    const uint32_t name = string_of(c, mp_reader_string(c->reader, event->phase.name));
    const struct mp_record_phase_enter enter = {elapsed(c, event->time_us), name};
    mp_write_phase_enter(c->w, &enter);
}

static void copy_pause(struct copy *c, const struct mp_event *event) {
    if (!is_recent(c, &c->seen.pauses, c->in->counts.pauses)) {
        c->omitted.pauses += event->kind == MP_EVENT_PAUSE || event->gc_span.phase == MP_GC_PAUSE;
        return;
    }
    write_omitted(c, event->time_us);
    const uint64_t since = elapsed(c, event->time_us);
    if (event->kind == MP_EVENT_GC_SPAN) {
        struct mp_record_gc_span span = event->gc_span;
        span.elapsed = since;
        mp_write_gc_span(c->w, &span);
        return;
    }
    struct mp_record_pause pause = event->pause;
    const struct mp_record_cause cause = {(uint8_t)event->cause};
    if (event->cause != c->end->cause) mp_write_cause(c->w, &cause);
    c->end->cause = event->cause;
    pause.elapsed = since;
    mp_write_pause(c->w, &pause);
}

/* Ticks that are long past become one record for each call stack, at the time of the first one that
 * is kept. */
static void flush_ticks(struct copy *c, uint64_t us) {
    for (uint32_t old = 0; old < c->ticks.count; old++) {
        struct mp_record_ticks *sum = &c->ticks.items[old];
        if (sum->running == 0 && sum->collecting == 0) continue;
        sum->stack = node_of(c, old);
        sum->elapsed = elapsed(c, us);
        mp_write_ticks(c->w, sum);
    }
    c->ticks.count = 0;
}

static void copy_ticks(struct copy *c, const struct mp_event *event) {
    struct mp_record_ticks record = event->ticks;
    if (is_recent(c, &c->seen.ticks, c->in->counts.ticks)) {
        flush_ticks(c, event->time_us);
        record.stack = node_of(c, (uint32_t)record.stack);
        record.elapsed = elapsed(c, event->time_us);
        mp_write_ticks(c->w, &record);
        return;
    }
    struct mp_record_ticks *sum = ITEM(c, &c->ticks, record.stack);
    if (sum == NULL) return;
    sum->running += record.running;
    sum->collecting += record.collecting;
}

static void copy_resident(struct copy *c, const struct mp_event *event) {
    if (!is_chosen(c, &c->seen.residents, c->in->counts.residents)) return;
    const struct mp_record_resident record = {elapsed(c, event->time_us), event->resident.bytes};
    mp_write_resident(c->w, &record);
}

static void copy_marking(struct copy *c, const struct mp_event *event) {
    struct mp_record_marking record = event->marking;
    if (!is_recent(c, &c->seen.markings, c->in->counts.markings)) {
        c->omitted.markings++;
        return;
    }
    write_omitted(c, event->time_us);
    record.elapsed = elapsed(c, event->time_us);
    mp_write_marking(c->w, &record);
}

static void copy_maximum(struct copy *c, const struct mp_event *event) {
    const struct mp_record_maximum record = {elapsed(c, event->time_us), event->maximum.words};
    mp_write_maximum(c->w, &record);
}

static void copy_site(struct copy *c, const struct mp_event *event) {
    struct mp_record_site *sum = ITEM(c, &c->sites, location_of(c, (uint32_t)event->site.location));
    if (sum == NULL) return;
    sum->words += event->site.words;
    sum->blocks += event->site.blocks;
}

/* Writes what was counted since the last record of its name, and totals, which have no time. */
static void write_totals(struct copy *c) {
    for (size_t i = 0; i < c->pending.count; i++) write_pending(c, i, c->end->us);
    for (size_t i = 0; i < c->sites.count; i++) {
        c->sites.items[i].location = i;
        if (c->sites.items[i].blocks > 0) mp_write_site(c->w, &c->sites.items[i]);
    }
    write_omitted(c, c->end->us);
    if (c->has_cost) mp_write_cost(c->w, &c->cost);
    set_weight(c, 1); /* of the samples that follow */
}

static void copy_event(struct copy *c, const struct mp_event *event) {
    const bool is_fate = event->kind == MP_EVENT_PROMOTED || event->kind == MP_EVENT_DIED;
    if (!is_fate) flush_list(c);
    switch (event->kind) {
    case MP_EVENT_SAMPLE: copy_sample(c, event); break;
    case MP_EVENT_PROMOTED:
    case MP_EVENT_DIED: copy_fate(c, event); break;
    case MP_EVENT_SETTINGS: mp_write_settings(c->w, &event->settings); break;
    case MP_EVENT_BEFORE: mp_write_before(c->w, &event->before); break;
    case MP_EVENT_GC_SPAN:
    case MP_EVENT_PAUSE: copy_pause(c, event); break;
    case MP_EVENT_RESIDENT: copy_resident(c, event); break;
    case MP_EVENT_TICKS: copy_ticks(c, event); break;
    case MP_EVENT_MARKING: copy_marking(c, event); break;
    case MP_EVENT_MAXIMUM: copy_maximum(c, event); break;
    case MP_EVENT_PHASE_ENTER:
    case MP_EVENT_PHASE_LEAVE: copy_phase(c, event); break;
    case MP_EVENT_COUNT: copy_count(c, event); break;
    case MP_EVENT_COUNTERS: copy_counters(c, event); break;
    case MP_EVENT_SITE: copy_site(c, event); break;
    case MP_EVENT_COST:
        c->cost = event->cost;
        c->has_cost = true;
        break;
    case MP_EVENT_OMITTED:
        c->omitted.pauses += event->omitted.pauses;
        c->omitted.phases += event->omitted.phases;
        c->omitted.markings += event->omitted.markings;
        break;
    case MP_EVENT_HELD:      /* not in a bounded recording */
    case MP_EVENT_WRITTEN:   /* the snapshot has other numbers of samples */
    case MP_EVENT_SELECTION: /* not in a recording that runs */
    case MP_EVENT_EXCESS:
    case MP_EVENT_ROOT:
    case MP_EVENT_BLOCKS:
    case MP_EVENT_CONTENTS:
    case MP_EVENT_EPHEMERON:
    case MP_EVENT_HEAP:
    case MP_EVENT_NAME:
    case MP_EVENT_SAMPLED:
    case MP_EVENT_TYPE:
    case MP_EVENT_SHAPE:
    case MP_EVENT_MEMBER:
    case MP_EVENT_LABEL:
    case MP_EVENT_TYPED:
    case MP_EVENT_FINISH:
    case MP_EVENT_END: break;
    }
}

bool mp_thin_write(const struct mp_thin_input *in, const struct mp_thinning *how,
                   struct mp_writer *w, struct mp_thin_end *end) {
    struct mp_read_error why;
    struct mp_event event;
    struct copy *c = calloc(1, sizeof *c);
    if (c == NULL) return false;
    *c = (struct copy){.in = in, .how = how, .w = w, .end = end, .weight = 1};
    c->reader = mp_reader_of_bytes(in->bytes, in->length, &why);
    c->failed = c->reader == NULL;
    if (!c->failed) mp_write_start(w, mp_reader_start(c->reader));
    while (!c->failed && mp_reader_next(c->reader, &event)) copy_event(c, &event);
    if (!c->failed) {
        flush_list(c);
        write_totals(c);
        mp_writer_flush(w);
    }
    bool written = !c->failed;
    mp_reader_close(c->reader);
    free(c->strings.entries);
    free(c->locations.at);
    free(c->nodes.at);
    free(c->tags.items);
    free(c->chain.items);
    free(c->phases.items);
    free(c->sites.items);
    free(c->pending.items);
    free(c->ticks.items);
    free(c);
    return written;
}
