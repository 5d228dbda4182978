/* peak.c - the moment of a profile at which the most sampled words were live.
 *
 * All births and deaths have to be put in order for it, so the answer stays with the profile. */
#include "memprof/report/model/memory.h"
#include "memprof/report/query/query.h"

#include <stdlib.h>

struct death {
    int64_t time;
    uint64_t hits;
};

static int by_time(const void *a, const void *b) {
    const struct death *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

static int64_t find_peak(const struct report_model *model) {
    struct death *deaths = report_alloc(model->sample_count * sizeof *deaths);
    size_t count = 0, dead = 0;
    int64_t peak = 0;
    uint64_t live = 0, most = 0;
    for (size_t i = 0; i < model->sample_count; i++) {
        const struct report_sample *s = &model->samples[i];
        if (s->died != REPORT_NEVER && s->died > s->born)
            deaths[count++] = (struct death){s->died, s->hits};
    }
    qsort(deaths, count, sizeof *deaths, by_time);
    for (size_t i = 0; i < model->sample_count; i++) {
        const struct report_sample *s = &model->samples[i];
        /* What dies at a moment is not live at it, even if another block is born then. */
        for (; dead < count && deaths[dead].time <= s->born; dead++) live -= deaths[dead].hits;
        if (s->died > s->born) live += s->hits;
        bool last_of_moment = i + 1 == model->sample_count || s[1].born > s->born;
        if (last_of_moment && live > most) {
            most = live;
            peak = s->born;
        }
    }
    free(deaths);
    return peak;
}

int64_t report_peak_time(const struct report_model *model) {
    if (*model->peak < 0) *model->peak = find_peak(model);
    return *model->peak;
}
