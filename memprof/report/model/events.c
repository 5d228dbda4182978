/* events.c - events of samples in the order of time, by counting sorts. */
#include "memprof/report/model/events.h"

#include "gc/assert.h"

#include <stdlib.h>

struct report_numbers report_order_samples(const struct report_model *model,
                                           uint32_t (*moment_of)(const void *context,
                                                                 uint32_t sample),
                                           const void *context) {
    size_t moments = model->moments.count;
    uint32_t *start = report_alloc((moments + 2) * sizeof *start);
    for (uint32_t i = 0; i < model->samples.count; i++) {
        uint32_t moment = moment_of(context, i);
        ASSERT(moment <= moments);
        start[moment + 1] += moment > 0;
    }
    for (size_t i = 1; i <= moments + 1; i++) start[i] += start[i - 1];
    struct report_numbers order = {0};
    order.count = order.capacity = start[moments + 1];
    order.at = report_alloc(order.count * sizeof *order.at);
    for (uint32_t i = 0; i < model->samples.count; i++) {
        uint32_t moment = moment_of(context, i);
        if (moment > 0) order.at[start[moment]++] = i;
    }
    free(start);
    return order;
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The moment at which an event counts; 0: never. */
static uint32_t moment_of_kind(const struct report_events *e, enum report_event_kind kind,
                               uint32_t sample) {
    const struct report_stored_sample *s = &e->model->samples.at[sample];
    if (kind == REPORT_BIRTH) return s->born;
    if (kind == REPORT_DEATH) return s->died == 0 ? 0 : later(s->died, s->born);
    if (s->promoted == 0 || (s->died != 0 && s->promoted > later(s->died, s->born))) return 0;
    return later(s->promoted, s->born);
}

static bool is_wanted(const struct report_events *e, uint32_t sample) {
    const struct report_sample s = report_sample_of(e->model, sample);
    return e->wants(e->context, &s);
}

/* Of most samples, one of the two events does not happen. */
static uint32_t wanted_moment(const struct report_events *e, enum report_event_kind kind,
                              uint32_t sample) {
    const uint32_t moment = moment_of_kind(e, kind, sample);
    return moment > 0 && is_wanted(e, sample) ? moment : 0;
}

static uint32_t promotion_of(const void *context, uint32_t sample) {
    return wanted_moment(context, REPORT_PROMOTION, sample);
}

static uint32_t death_of(const void *context, uint32_t sample) {
    return wanted_moment(context, REPORT_DEATH, sample);
}

/* The sample of the next event of a kind; false: there is none. */
static bool next_sample(struct report_events *e, enum report_event_kind kind, uint32_t *sample) {
    size_t *next = &e->next[kind];
    if (kind != REPORT_BIRTH) {
        if (*next == e->samples[kind].count) return false;
        *sample = e->samples[kind].at[(*next)++];
        return true;
    }
    while (*next < e->model->samples.count && !is_wanted(e, (uint32_t)*next)) ++*next;
    if (*next == e->model->samples.count) return false;
    *sample = (uint32_t)(*next)++;
    return true;
}

static void advance(struct report_events *e, enum report_event_kind kind) {
    uint32_t sample;
    e->heads[kind] = (struct report_event){0};
    if (next_sample(e, kind, &sample))
        e->heads[kind] = (struct report_event){moment_of_kind(e, kind, sample), sample, kind};
}

void report_events_start(struct report_events *events, const struct report_model *model,
                         report_wants *wants, const void *context) {
    *events = (struct report_events){.model = model, .wants = wants, .context = context};
    events->samples[REPORT_PROMOTION] = report_order_samples(model, promotion_of, events);
    events->samples[REPORT_DEATH] = report_order_samples(model, death_of, events);
    for (int kind = 0; kind < REPORT_EVENT_KINDS; kind++) advance(events, kind);
}

void report_events_end(struct report_events *events) {
    report_free(events->samples[REPORT_PROMOTION].at, events->samples[REPORT_DEATH].at);
}

bool report_events_peek(const struct report_events *events, struct report_event *out) {
    *out = (struct report_event){0};
    for (int kind = 0; kind < REPORT_EVENT_KINDS; kind++) {
        const struct report_event *head = &events->heads[kind];
        if (head->moment > 0 && (out->moment == 0 || head->moment < out->moment)) *out = *head;
    }
    return out->moment > 0;
}

bool report_events_next(struct report_events *events, struct report_event *out) {
    if (!report_events_peek(events, out)) return false;
    advance(events, out->kind);
    return true;
}
