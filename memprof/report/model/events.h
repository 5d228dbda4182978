/* events.h - births, promotions and deaths of samples in the order of time, without a list of
 * them: births are in order (PM6), and the others are sorted by the numbers of their moments. */
#ifndef BACTRIAN_MEMPROF_REPORT_MODEL_EVENTS_H
#define BACTRIAN_MEMPROF_REPORT_MODEL_EVENTS_H

#include "memprof/report/model/model.h"

/* Events of one moment are in this order. */
enum report_event_kind { REPORT_BIRTH, REPORT_PROMOTION, REPORT_DEATH, REPORT_EVENT_KINDS };

struct report_event {
    uint32_t moment, sample;
    enum report_event_kind kind;
};

/* Whether a sample's events are wanted. */
typedef bool report_wants(const void *context, const struct report_sample *sample);

struct report_events {
    const struct report_model *model;
    report_wants *wants;
    const void *context;
    struct report_numbers samples[REPORT_EVENT_KINDS]; /* of births: none */
    size_t next[REPORT_EVENT_KINDS];
    struct report_event heads[REPORT_EVENT_KINDS]; /* moment 0: there is none */
};

/* Begins. What happens before a birth counts at the birth; a promotion after the death is left out.
 * report_events_end frees what it holds. */
void report_events_start(struct report_events *events, const struct report_model *model,
                         report_wants *wants, const void *context);
void report_events_end(struct report_events *events);
/* The next event; false: there is none. */
bool report_events_next(struct report_events *events, struct report_event *out);
/* What report_events_next will return. */
bool report_events_peek(const struct report_events *events, struct report_event *out);

/* The numbers of samples in the order of moments, those of moment 0 left out; `at` is freed with
 * free(). */
struct report_numbers report_order_samples(const struct report_model *model,
                                           uint32_t (*moment_of)(const void *context,
                                                                 uint32_t sample),
                                           const void *context);
#endif
