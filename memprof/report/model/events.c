/* events.c - events of samples in the order of time, by counting sorts. */
#include "memprof/report/model/events.h"

#include "gc/assert.h"

#include <stdlib.h>

struct report_numbers report_order_samples(
    const struct report_model *model,
    uint32_t (*moment_of)(const void *context, const struct report_sample *sample),
    const void *context) {
    size_t moments = model->moments.count;
    uint32_t *start = report_alloc((moments + 2) * sizeof *start);
    report_each_sample(s, model) {
        uint32_t moment = moment_of(context, s);
        ASSERT(moment <= moments);
        start[moment + 1] += moment > 0;
    }
    for (size_t i = 1; i <= moments + 1; i++) start[i] += start[i - 1];
    struct report_numbers order = {0};
    order.count = order.capacity = start[moments + 1];
    order.at = report_alloc(order.count * sizeof *order.at);
    report_each_sample(s, model) {
        uint32_t moment = moment_of(context, s);
        if (moment > 0) order.at[start[moment]++] = s->number;
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

static uint32_t promotion_of(const void *context, const struct report_sample *s) {
    const struct report_events *e = context;
    return e->wants(e->context, s) ? moment_of_kind(e, REPORT_PROMOTION, s->number) : 0;
}

static uint32_t death_of(const void *context, const struct report_sample *s) {
    const struct report_events *e = context;
    return e->wants(e->context, s) ? moment_of_kind(e, REPORT_DEATH, s->number) : 0;
}

/* The sample of the next event of a kind; false: there is none. */
static bool next_sample(struct report_events *e, enum report_event_kind kind, uint32_t *sample) {
    size_t *next = &e->next[kind];
    if (kind != REPORT_BIRTH) {
        if (*next == e->samples[kind].count) return false;
        *sample = e->samples[kind].at[(*next)++];
        return true;
    }
    for (; *next < e->model->samples.count; ++*next) {
        const struct report_sample s = report_sample_of(e->model, *next);
        if (!e->wants(e->context, &s)) continue;
        *sample = (*next)++;
        return true;
    }
    return false;
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
